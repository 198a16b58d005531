// Videos from numbered pictures, through the ffmpeg program.
#pragma once

#include <string>

namespace firn {

// Encodes frame_000012.png and on of a folder, from `first_frame`, as H.264 in MP4, playable
// anywhere (yuv420p, even size: an odd last row or column is cut), with the colours of HD video,
// whatever the size. Written to a temporary name and renamed. Returns false if there is no ffmpeg;
// throws Error{kFile} with ffmpeg's complaint if it fails.
bool encode_video(const std::string& folder, int first_frame, double fps,
                  const std::string& out_mp4);

}  // namespace firn

// Videos from numbered pictures, through the ffmpeg program.
#pragma once

#include <string>

namespace firn {

// Pictures per second of a film of a scene that has `fps` frames per second of its own time: as
// many, so that it plays as fast as things happen, but where these are under 1 or over 120:
// then 24.
double film_rate(double fps);

// Encodes frame_000012.png and on of a folder, from `first_frame`, as H.264 in MP4, playable
// anywhere (yuv420p, even size: an odd last row or column is cut), with the colours of HD video,
// whatever the size. Written to a temporary name and renamed. Returns false if there is no ffmpeg;
// throws Error{kFile} with ffmpeg's complaint if it fails.
// A rate that no player can show is not tried; see film_rate.
bool encode_video(const std::string& folder, int first_frame, double fps,
                  const std::string& out_mp4);

}  // namespace firn

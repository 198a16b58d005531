// Videos from numbered pictures, through the ffmpeg program.
#pragma once

#include <string>

namespace firn {

// Which pictures of a pattern, and how many of them per second.
struct VideoFrames {
  int first = 0, count = 0;
  double fps = 24;
};

// Encodes frame_pattern (e.g. "out/frame_%04d.png") as H.264 in MP4, playable anywhere (yuv420p,
// even size: an odd last row or column is cut). Written to a temporary name and renamed. Returns
// false if there is no ffmpeg; throws Error{kFile} with ffmpeg's complaint if it fails, as it does
// where a picture is missing or damaged.
bool encode_video(const std::string& frame_pattern, const VideoFrames& frames,
                  const std::string& out_mp4);

}  // namespace firn

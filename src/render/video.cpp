// The one ffmpeg command line.
#include "src/render/video.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "firn/error.h"
#include "src/render/process.h"

namespace firn {
namespace {

// Of the pictures, as ffmpeg takes it: a percent sign of the folder's is none of its own.
std::string pattern_in(const std::string& folder) {
  std::string pattern = folder;
  for (std::size_t at = 0; (at = pattern.find('%', at)) != pattern.npos; at += 2)
    pattern.insert(at, "%");
  return pattern + "/frame_%06d.png";
}

// x264 takes even sizes alone.
constexpr const char* kFilters =
    "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,scale=out_color_matrix=bt709:out_range=tv";

}  // namespace

double film_rate(double fps) { return fps >= 1 && fps <= 120 ? fps : 24; }

bool encode_video(const std::string& folder, int first_frame, double fps,
                  const std::string& out_mp4) {
  const std::string temporary = out_mp4 + ".part";
  // "file:" keeps ffmpeg from taking a colon in a path for a protocol; crf 17 is visually lossless,
  // and with "veryfast" as good as 18 with "veryfast" in half the time, in files a tenth larger.
  // A damaged picture would be shown as far as it goes. Players take what says nothing of its
  // colours for BT.601 or BT.709 by its size, and pictures have sRGB's own curve.
  const ProgramResult result = run_program({"ffmpeg",
                                            "-nostdin",
                                            "-hide_banner",
                                            "-loglevel",
                                            "error",
                                            "-y",
                                            "-err_detect",
                                            "crccheck+explode",
                                            "-max_error_rate",
                                            "0",
                                            "-framerate",
                                            fmt::format("{}", film_rate(fps)),
                                            "-start_number",
                                            fmt::format("{}", first_frame),
                                            "-i",
                                            "file:" + pattern_in(folder),
                                            "-vf",
                                            kFilters,
                                            "-colorspace",
                                            "bt709",
                                            "-color_primaries",
                                            "bt709",
                                            "-color_trc",
                                            "iec61966-2-1",
                                            "-color_range",
                                            "tv",
                                            "-c:v",
                                            "libx264",
                                            "-preset",
                                            "veryfast",
                                            "-crf",
                                            "17",
                                            "-pix_fmt",
                                            "yuv420p",
                                            "-movflags",
                                            "+faststart",
                                            "-f",
                                            "mp4",
                                            "file:" + temporary});
  if (!result.found) return false;
  std::string reason = result.succeeded() ? "" : "ffmpeg: " + last_lines(result.errors, 3);
  if (reason.empty() && std::rename(temporary.c_str(), out_mp4.c_str()) != 0)
    reason = std::strerror(errno);
  if (reason.empty()) return true;
  std::remove(temporary.c_str());
  throw Error(ErrorCategory::kFile, out_mp4 + ": cannot write the video: " + reason);
}

}  // namespace firn

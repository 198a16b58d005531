// The files of a picture in a run's folder.
#pragma once

#include "firn/render.h"
#include "src/io/run_directory.h"

namespace firn::app {

// The light first: where there is a picture, all of it is there.
inline void write_picture(const RunDirectory& directory, int frame, const Image& image) {
  if (!image.light.empty()) write_exr(directory.light_path(frame).string(), image);
  write_png(directory.image_path(frame).string(), image);
}

}  // namespace firn::app

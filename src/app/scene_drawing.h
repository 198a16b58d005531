// A wire picture of a scene before anything runs: bodies, sources, sinks and colliders by the lines
// in which planes cut them, the domain, the sensors.
#pragma once

#include <string>

#include "firn/scene.h"

namespace firn::app {

// A PNG file, through gnuplot; false if there is none. Throws as compile_shape, and Error{kFile} if
// the file cannot be written.
bool draw_scene(const Scene& scene, const std::string& png_path);

}  // namespace firn::app

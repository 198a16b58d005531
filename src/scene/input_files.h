// The files beside its own text that a scene reads, and what tells whether one of them is still
// what it was.
#pragma once

#include <map>
#include <string>

#include "firn/scene.h"

namespace firn {

// The length and the CRC-32 of every mesh, volume, font and picture of the scene's shapes, by path.
// Throws Error{kFile} for one that cannot be read.
std::map<std::string, std::string> input_files(const Scene& scene);

// Throws Error{kScene} that names each file that the scene reads and that is another one than it
// `was`. A file may be elsewhere now: what no path of `was` names must be one of its files.
void require_same_files(const Scene& scene, const std::map<std::string, std::string>& was);

}  // namespace firn

// Keys of a scene that other keys leave without any effect.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// A sentence for each that is not as without it: what a scene says in vain is seldom meant.
std::vector<std::string> idle_keys(const Scene& scene);

}  // namespace firn

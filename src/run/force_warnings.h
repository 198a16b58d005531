// What a [[force]] of a scene does not do.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

std::vector<std::string> force_warnings(const Scene& scene);

}  // namespace firn

// How the program was built, for reports of faults and of measurements.
#pragma once

#include "src/app/json_out.h"

namespace firn::app {

// What the compiler was told, in its words.
const char* build_flags();
// Version, compiler, flags, and what was left out.
Json build_json();

}  // namespace firn::app

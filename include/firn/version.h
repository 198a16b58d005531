// The version of Firn. The build takes its own from here.
#pragma once

// Macros, so that a program which builds with several versions can say #if.
#define FIRN_VERSION_MAJOR 0
#define FIRN_VERSION_MINOR 1
#define FIRN_VERSION_PATCH 0

namespace firn {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace firn

// How much may touch.
#pragma once

#include <cstddef>

namespace firn {

inline constexpr std::size_t kMostTouching = 14;  // materials and bodies of [[contact]] tables

}  // namespace firn

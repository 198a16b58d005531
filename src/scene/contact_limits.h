// How much may touch.
#pragma once

namespace firn {

inline constexpr int kMostTouching = 14;  // materials and bodies of [[contact]] tables

}  // namespace firn

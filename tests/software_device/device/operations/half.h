// Numbers of 16 bits: arithmetic on them is done in single precision.
#pragma once

#include <immintrin.h>

#include "table.h"

namespace emulator::core {

inline float from_half(u16 h) { return _cvtsh_ss(h); }
inline u16 to_half(float f) { return static_cast<u16>(_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT)); }

}  // namespace emulator::core

// The width of the CPU's vector registers that hand-written vectors of the compiler fill. Host code
// only.
#pragma once

#include <cstdint>

namespace firn {

#if defined(__AVX512F__)
inline constexpr std::uint32_t kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr std::uint32_t kVectorBytes = 32;
#else
inline constexpr std::uint32_t kVectorBytes = 16;
#endif

}  // namespace firn

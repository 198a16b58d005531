// Masks as work for a group: what is done for the bits that are set, and which of them are kept. On
// the CPU a mask costs what its set bits do, on CUDA a thread looks at one bit. The two live in
// different inline namespaces, so that the linker never mixes them.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#if !defined(__CUDACC__)
#include <bit>
#endif

namespace firn {

#if defined(__CUDACC__)
inline namespace bits_of_threads {

// f(i) for the bits i that are set in `words` words; word(w): word w.
template <class Group, class Word, class F>
FIRN_HD inline void for_each_bit(Group& g, std::uint32_t words, Word&& word, F&& f) {
  g.for_each(32 * words, [&](std::uint32_t i) {
    if ((word(i / 32) >> (i % 32) & 1u) != 0) f(i);
  });
}
// to(w, bits) for all words: those set bits i for which f(i) holds. A warp takes a word.
template <class Group, class Word, class F, class To>
FIRN_HD inline void select_bits(Group& g, std::uint32_t words, Word&& word, F&& f, To&& to) {
  g.for_each(32 * words, [&](std::uint32_t i) {
    const bool kept = (word(i / 32) >> (i % 32) & 1u) != 0 && f(i);
    std::uint32_t bits = kept ? 1u : 0u;
#if defined(__CUDA_ARCH__)
    bits = __ballot_sync(0xffffffffu, kept);
#endif
    if (i % 32 == 0) to(i / 32, bits);
  });
}

#else
inline namespace bits_one_by_one {

template <class Group, class Word, class F>
inline void for_each_bit(Group&, std::uint32_t words, Word&& word, F&& f) {
  for (std::uint32_t w = 0; w < words; ++w)
    for (std::uint32_t bits = word(w); bits != 0; bits &= bits - 1)
      f(32 * w + static_cast<std::uint32_t>(std::countr_zero(bits)));
}
template <class Group, class Word, class F, class To>
inline void select_bits(Group&, std::uint32_t words, Word&& word, F&& f, To&& to) {
  for (std::uint32_t w = 0; w < words; ++w) {
    std::uint32_t kept = 0;
    for (std::uint32_t bits = word(w); bits != 0; bits &= bits - 1)
      if (f(32 * w + static_cast<std::uint32_t>(std::countr_zero(bits)))) kept |= bits & -bits;
    to(w, kept);
  }
}

#endif
}  // inline namespace

}  // namespace firn

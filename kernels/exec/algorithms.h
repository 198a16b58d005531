// Sorting and bucketing, with one meaning on both backends: a counting permutation on the CPU, CUB
// on CUDA. All results are independent of the number of threads.
#pragma once

#include <cstdint>

#include "kernels/exec/backend.h"
#include "kernels/exec/launch.h"

namespace firn {

// Sorts keys[0 .. count) ascending. On CUDA all `count.bound` keys take part: those beyond the
// count must be ~0.
void sort_keys(Cpu& exec, std::uint64_t* keys, DeviceCount count, const std::uint32_t* stop);
void sort_keys(Cuda& exec, std::uint64_t* keys, DeviceCount count, const std::uint32_t* stop);

// Groups items by bin, keeping their order within a bin:
//   order[begin[b] .. begin[b+1])  are the items i with bin_of[i] == b, ascending;
// items with bin_of[i] >= number of bins are left out. `begin` has bins + 1 entries (bins.bound + 1
// on CUDA, where bin_of must hold kNoBin for items beyond the count). With a `spare`
// of 2 * items.bound entries the sort on CUDA uses up both that and bin_of; it cannot be skipped,
// so that `order` is lost where *stop is not 0. Without, it needs more workspace, leaves bin_of as
// it is, and so finds the same again.
inline constexpr std::uint32_t kNoBin = 0xffffffffu;
void bucket_permutation(Cpu& exec, std::uint32_t* bin_of, DeviceCount items, DeviceCount bins,
                        const std::uint32_t* stop, std::uint32_t* spare, std::uint32_t* order,
                        std::uint32_t* begin);
void bucket_permutation(Cuda& exec, std::uint32_t* bin_of, DeviceCount items, DeviceCount bins,
                        const std::uint32_t* stop, std::uint32_t* spare, std::uint32_t* order,
                        std::uint32_t* begin);

// out[i] = sum of in[0 .. i), for i in 0 .. count.bound (one more entry than `in`). Entries of `in`
// beyond the count must be zero on CUDA. `in` and `out` differ.
void exclusive_scan(Cpu& exec, const std::uint32_t* in, DeviceCount count,
                    const std::uint32_t* stop, std::uint32_t* out);
void exclusive_scan(Cuda& exec, const std::uint32_t* in, DeviceCount count,
                    const std::uint32_t* stop, std::uint32_t* out);

}  // namespace firn

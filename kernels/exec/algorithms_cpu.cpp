#include "kernels/exec/algorithms.h"

#include <omp.h>

#include <algorithm>
#include <numeric>

#include "kernels/exec/host.h"

namespace firn {

void sort_keys(Cpu&, std::uint64_t* keys, DeviceCount count, const std::uint32_t* stop) {
  if (stop != nullptr && *stop != 0) return;
  std::sort(keys, keys + resolve(count));
}

// Each part of the items counts its own bins; a scan over (bin, part) then gives every part its
// place in every bin, so that the result is the stable order whatever the number of parts.
void bucket_permutation(Cpu& exec, std::uint32_t* bin_of, DeviceCount items, DeviceCount bins,
                        const std::uint32_t* stop, std::uint32_t*, std::uint32_t* order,
                        std::uint32_t* begin) {
  if (stop != nullptr && *stop != 0) return;
  const std::uint64_t n = resolve(items);
  const std::uint64_t n_bins = resolve(bins);
  const std::uint64_t parts = n > 16384 ? static_cast<std::uint64_t>(exec.threads()) : 1;
  auto* counts =
      static_cast<std::uint32_t*>(exec.workspace(parts * n_bins * sizeof(std::uint32_t)));
  const auto part_begin = [=](std::uint64_t p) { return n * p / parts; };

#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::uint64_t p = 0; p < parts; ++p) {
    std::uint32_t* mine = counts + p * n_bins;
    std::fill(mine, mine + n_bins, 0u);
    for (std::uint64_t i = part_begin(p); i < part_begin(p + 1); ++i)
      if (bin_of[i] < n_bins) ++mine[bin_of[i]];
  }
  std::uint32_t running = 0;
  for (std::uint64_t b = 0; b < n_bins; ++b) {
    begin[b] = running;
    for (std::uint64_t p = 0; p < parts; ++p) {
      const std::uint32_t count = counts[p * n_bins + b];
      counts[p * n_bins + b] = running;
      running += count;
    }
  }
  begin[n_bins] = running;
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::uint64_t p = 0; p < parts; ++p) {
    std::uint32_t* mine = counts + p * n_bins;
    for (std::uint64_t i = part_begin(p); i < part_begin(p + 1); ++i)
      if (bin_of[i] < n_bins) order[mine[bin_of[i]]++] = static_cast<std::uint32_t>(i);
  }
}

void exclusive_scan(Cpu&, const std::uint32_t* in, DeviceCount count, const std::uint32_t* stop,
                    std::uint32_t* out) {
  if (stop != nullptr && *stop != 0) return;
  const std::uint32_t n = resolve(count);
  std::uint32_t running = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    out[i] = running;
    running += in[i];
  }
  out[n] = running;
}

}  // namespace firn

// A loop over independent items on the CPU, for host code that is no operator on particles or nodes
// (pictures). Every iteration writes only its own results, so that these do not depend on the
// number of threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>

namespace firn {

// Of the process: how many threads are meant by all of them. 0: as many as OpenMP would take.
inline std::atomic<int> most_loop_threads{0};

// Calls f(i) for i in 0 .. n - 1 on `threads` threads, 0 = all. Items are handed out in small runs,
// because the items of a picture (rows, visible particles) differ much in cost.
template <std::integral Index, class Function>
void parallel_for(Index n, int threads, Function&& f) {
  const int most = most_loop_threads, all = most > 0 ? most : omp_get_max_threads();
  const int team = threads > 0 ? threads : all;
  const std::int64_t run =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(n) / (32 * team), 1, 64);
#pragma omp parallel for num_threads(team) \
    schedule(dynamic, run) if (static_cast <std::ptrdiff_t>(n) > run)
  for (Index i = 0; i < n; ++i) f(i);
}

}  // namespace firn

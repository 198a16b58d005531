// A loop over independent items on the CPU whose work may throw, for want of memory, say.
#pragma once

#include <atomic>
#include <exception>

#include "kernels/exec/parallel_for.h"

namespace firn {

// Calls f(i) for i in 0 .. n - 1 on all threads. What one call throws is thrown when all threads
// have come to an end; the calls that follow it are left out.
template <std::integral Index, class Function>
void in_parallel(Index n, Function&& f) {
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  parallel_for(n, 0, [&](Index i) {
    if (failed) return;
    try {
      f(i);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace firn

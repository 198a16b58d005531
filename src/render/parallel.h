// The loop over independent rows or particles of a picture. Every iteration writes only its own
// results, so the picture does not depend on the number of threads.
#pragma once

namespace firn {

template <class Function>
void parallel_for(int count, int chunk, Function function) {
#pragma omp parallel for schedule(dynamic, chunk)
  for (int i = 0; i < count; ++i) function(i);
}

}  // namespace firn

#include "src/app/bound_threads.h"

#if defined(FIRN_WITH_TBB)
#include <tbb/global_control.h>
#endif

#include "kernels/exec/parallel_for.h"

namespace firn::app {

struct BoundThreads::Tasks {
#if defined(FIRN_WITH_TBB)
  explicit Tasks(std::size_t most) : control(tbb::global_control::max_allowed_parallelism, most) {}
  tbb::global_control control;
#else
  explicit Tasks(std::size_t) {}
#endif
};

BoundThreads::BoundThreads(int threads) {
  most_loop_threads = threads;
  if (threads > 0) tasks_ = std::make_unique<Tasks>(static_cast<std::size_t>(threads));
}

BoundThreads::~BoundThreads() { most_loop_threads = 0; }

}  // namespace firn::app

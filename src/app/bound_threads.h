// The flag --threads for what is no step: pictures, surfaces and shapes.
#pragma once

#include <memory>

namespace firn::app {

// While it lives, loops over pictures and surfaces, OpenVDB and Embree use at most `threads`
// threads each, 0 = all. What writes files beside the next frame has a thread of its own.
class BoundThreads {
 public:
  explicit BoundThreads(int threads);
  ~BoundThreads();
  BoundThreads(const BoundThreads&) = delete;
  BoundThreads& operator=(const BoundThreads&) = delete;

 private:
  struct Tasks;
  std::unique_ptr<Tasks> tasks_;
};

}  // namespace firn::app

// The clear surfaces that a ray is within: they may nest, as ice in water does, or overlap by the
// roundness of their edges.
#pragma once

#include <algorithm>
#include <array>

#include "src/render/mesh.h"

namespace firn {

struct ClearMedium {
  float object;  // the surface's, as rays meet it
  V3f tint;      // of light on its way there, and how far that reaches
  float depth;   // m
  float gap;     // SurfaceFinish
};

class ClearMedia {
 public:
  bool empty() const { return count_ == 0; }
  // The last that was entered.
  const ClearMedium& top() const { return media_[static_cast<std::size_t>(count_ - 1)]; }

  // A surface that is met from outside once more is still one: its end was too near to be met.
  void enter(const ClearMedium& medium) {
    leave(medium.object);
    if (count_ < kMost) media_[static_cast<std::size_t>(count_++)] = medium;
  }
  void leave(float object) {
    const auto end =
        std::remove_if(media_.begin(), media_.begin() + count_,
                       [object](const ClearMedium& medium) { return medium.object == object; });
    count_ = static_cast<int>(end - media_.begin());
  }

 private:
  static constexpr int kMost = 4;
  std::array<ClearMedium, kMost> media_;
  int count_ = 0;
};

}  // namespace firn

// Which particles tracers stand for: those of the bodies that they fill, or all of them.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/scene.h"
#include "src/view/picture.h"

namespace firn::view {

class TracedBodies {
 public:
  TracedBodies() = default;
  explicit TracedBodies(const Scene& scene);

  bool is_filled(std::size_t body) const { return body < filled_.size() && filled_[body]; }
  // Of the picture's points those that are not drawn beside its tracers; empty: it has none.
  std::vector<bool> stood_for(const Picture& picture) const;

 private:
  bool alone_ = false;
  std::vector<bool> filled_;  // by body
};

}  // namespace firn::view

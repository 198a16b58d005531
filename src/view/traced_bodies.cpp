#include "src/view/traced_bodies.h"

namespace firn::view {

TracedBodies::TracedBodies(const Scene& scene) : alone_(scene.tracers.alone) {
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b)
    filled_.push_back(scene.tracers.fills(b));
}

std::vector<bool> TracedBodies::stood_for(const Picture& picture) const {
  if (picture.tracers.places.points() == 0) return {};
  std::vector<bool> points(picture.points(), alone_);
  const Channel* body = picture.find("body");
  if (alone_ || body == nullptr) return points;
  // Sources have the indices behind the bodies, and what has no body none that tracers fill.
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = is_filled(body->levels->level[i]);
  return points;
}

}  // namespace firn::view

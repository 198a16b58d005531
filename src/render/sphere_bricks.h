// Spheres for shadow rays: those of a small cube together are one item of Embree's tree, which is
// then made several times faster than over single spheres, and a packet of rays meets each sphere
// of an item at once instead of ray by ray.
#pragma once

#if FIRN_WITH_EMBREE
#include <array>
#include <cstdint>
#include <vector>

#include "src/render/embree.h"

namespace firn {

class SphereBricks {
 public:
  explicit SphereBricks(const std::vector<std::array<float, 4>>& spheres);
  // For each sphere: itself, and what puts it in order, in whose place comes Embree's tree.
  static constexpr double kBytes = 4 * sizeof(float) + 4 * sizeof(std::uint32_t);

  // Makes the geometry search these, which must outlive it.
  void set(RTCGeometry geometry);

 private:
  std::uint32_t items() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  static void bound(const RTCBoundsFunctionArguments* arguments);
  static void block(const RTCOccludedFunctionNArguments* arguments);

  std::vector<std::array<float, 4>> spheres_;  // in the order of items
  std::vector<std::uint32_t> first_;           // of each item, and the end
};

}  // namespace firn
#endif

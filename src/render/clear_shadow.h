// What of the sun's light comes through clear materials, as a map across its direction. Light goes
// on straight: what refraction gathers elsewhere is not shown, and what it takes away is a fixed
// part.
#pragma once

#include "src/render/clear_media.h"
#include "src/render/embree_scene.h"

namespace firn {

class ClearShadow {
 public:
  // Empty without clear surfaces.
  ClearShadow(const RayMeshes& clear, const V3f& to_sun);

  bool empty() const { return texels_.empty(); }
  // What is left at a point of the sun's red, green and blue.
  V3f passed(const V3f& x) const;

 private:
  struct Texel {                         // of the light's way: m from the plane that it starts from
    float enters = kFar, leaves = kFar;  // the first surface, and the last of those that are met
    V3f absorbed = V3f::zero();          // minus the logarithm of what is left there
  };

  static void add(const ClearMedium& medium, float distance, Texel& texel);
  void trace(const RayMeshes& clear, int row);
  V3f origin(int column, int row) const {
    return corner_ + axes_[0] * (static_cast<float>(column) * spacing_) +
           axes_[1] * (static_cast<float>(row) * spacing_);
  }

  V3f down_;                    // from the sun, a unit vector
  std::array<V3f, 2> axes_;     // across it, unit vectors
  V3f corner_{{0, 0, 0}};       // of the first texel
  float spacing_ = 0;           // m
  int columns_ = 0, rows_ = 0;  // columns: a multiple of a packet
  std::vector<Texel> texels_;
};

}  // namespace firn

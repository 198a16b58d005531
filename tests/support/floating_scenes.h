// Bodies in incompressible liquid, which moves them.
#pragma once

#include "tests/support/fluid_scenes.h"
#include "tests/support/rigid_scenes.h"

namespace firn::test {

// A tank, `length` wide (3D: a fifth of that across), with liquid up to `depth` and a body; its
// walls end at 2 m.
inline Scene tank_with(const Collider& body_in_it, int dimension, double dx, double length = 2.4,
                       double depth = 1, Precision precision = Precision::kDouble) {
  Scene s = liquid_scene(dimension, dx, precision);
  s.fluid.free_surface = FreeSurface::kGhostFluid;
  const double across = dimension == 3 ? 0.5 * length : 0;
  s.bodies = {
      body("liquid", 0, difference(box({0, 0, 0}, {length, depth, across}), body_in_it.shape))};
  s.colliders = {body_in_it};
  s.grid.domain = closed_box({0, 0, 0}, {length, 2, dimension == 3 ? across : 1});
  return s;
}

// A block of `density` whose lower face lies so deep below a surface at 1 m that it floats.
inline Collider floating_block(double density, BoundaryType boundary, int dimension,
                               double length = 2.4, double height = 0.4, double aside = 0) {
  const double low = 1 - height * density / 1000, middle = 0.5 * length + aside,
               side = dimension == 3 ? 0.3 : 0, z = dimension == 3 ? 0.25 * length : 0;
  return dynamic(
      collider("block", box({middle - 0.4, low, z - side}, {middle + 0.4, low + height, z + side}),
               boundary),
      density);
}

// A cylinder 0.6 m wide, half a metre of liquid in it, and a piston that seals it from the air.
inline Scene sealed_piston(double dx, double density = 3000) {
  Scene scene = liquid_scene(2, dx);
  scene.bodies = {body("liquid", 0, box({0, 0, 0}, {0.6, 0.5, 0}))};
  scene.colliders = {dynamic(
      collider("piston", box({-0.02, 0.5, 0}, {0.62, 0.7, 0}), BoundaryType::kSlip), density)};
  scene.colliders[0].dynamics->collides = false;
  scene.grid.domain = closed_box({0, 0, 0}, {0.6, 1.2, 1});
  return scene;
}

}  // namespace firn::test

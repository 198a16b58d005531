// Liquid that comes to a face of the domain from within, to the last digit of where it lies.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

// A drop that is thrown against a face falls along it, whichever side of its cells the face is.
TEST(LiquidAtFaces, FallsDownAllOfThem) {
  for (const BoundaryType type : {BoundaryType::kSlip, BoundaryType::kSeparate})
    for (const double sideways : {-3.0, 3.0}) {
      SCOPED_TRACE(sideways);
      Scene scene = liquid_scene(2, 0.04, Precision::kSingle);
      scene.fluid.free_surface = FreeSurface::kGhostFluid;
      scene.simulation.fps = 48;
      scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
      scene.grid.domain->boundary.fill(type);
      scene.bodies = {body("drop", 0, sphere({0.5, 0.5, 0}, 0.1), {sideways, 2, 0})};
      Simulation simulation = simulate(scene);
      simulation.advance_until(2);
      const auto x = simulation.field<float>("position"), v = simulation.field<float>("velocity");
      int hanging = 0;
      for (std::size_t i = 0; i < x.size(); i += 2)
        hanging += x[i + 1] > 0.2f && std::hypot(v[i], v[i + 1]) < 1e-3f ? 1 : 0;
      EXPECT_EQ(hanging, 0);
    }
}

}  // namespace
}  // namespace firn::test

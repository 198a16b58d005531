// Walls that do not follow the grid: along those that slip liquid moves freely, and those that
// stick take it along.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/fluid_harness.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

Shape slope(double angle) {
  Shape s;
  s.type = ShapeType::kHalfSpace;
  s.point = {0.013, 0.017, 0};
  s.normal = {-std::sin(angle), std::cos(angle), 0};
  return s;
}
Vec3 along(double angle, double speed) {
  return {speed * std::cos(angle), speed * std::sin(angle), 0};
}
double speed_along(const Totals& t, double angle) {
  return (t.momentum[0] * std::cos(angle) + t.momentum[1] * std::sin(angle)) / t.mass;
}

// Half a ball of liquid that lies on the slope, without gravity.
Scene sliding_scene(int dimension, double dx, double angle, BoundaryType boundary, double speed) {
  Scene scene = liquid_scene(dimension, dx);
  scene.simulation.gravity = {};
  Shape half;
  half.type = ShapeType::kDifference;
  half.children = {sphere(slope(angle).point, 0.25), slope(angle)};
  scene.bodies = {body("liquid", 0, half, along(angle, speed))};
  scene.colliders = {collider("slope", slope(angle), boundary)};
  return scene;
}

TEST(SlipWalls, Measure) {
  for (int dim : {2, 3})
  for (TransferType t : {TransferType::kFlip, TransferType::kApic})
  for (double angle : {0.0, 0.1, 0.3, 0.5, M_PI / 4, 1.2})
    for (int n : {16, 32}) {
      Scene scene = sliding_scene(dim, 1.0 / n, angle, BoundaryType::kSlip, 1);
      scene.transfer.type = t;
      Simulation s = simulate(scene);
      const double before = speed_along(s.totals(), angle), ke = s.totals().kinetic;
      run_to(s, 0.5);
      std::printf("%dD %s angle %.2f n %d: %.6f -> %.6f, ke %.4f, steps %d\n", dim, t==TransferType::kFlip?"flip":"apic", angle, n, before, speed_along(s.totals(), angle), s.totals().kinetic/ke, (int)s.stats().total_steps);
    }
}

}  // namespace
}  // namespace firn::test

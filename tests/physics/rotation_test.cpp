// A body that spins freely under APIC keeps its angular momentum, and its linear momentum and
// centre of mass stay where they are, over a thousand steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/validation.h"

namespace firn {
namespace {

// A disc or ball of radius 6 cells that turns by `turn` radians per step.
Scene spinning_body(int dimension, Precision precision, double youngs_modulus, double turn) {
  Material material;
  material.name = "elastic";
  material.density = 1000;
  material.youngs_modulus = youngs_modulus;
  Scene scene = test::plane_scene(material, 0.1, 4e-3);
  scene.simulation.dimension = dimension;
  scene.simulation.precision = precision;
  Body body;
  body.name = "body";
  body.shape.radius = 0.6;
  body.shape.center = {0.013, -0.027, dimension == 3 ? 0.041 : 0};
  const double spin = turn / scene.time.dt_max;
  body.angular_velocity = dimension == 3 ? Vec3{0.6 * spin, 0, 0.8 * spin} : Vec3{0, 0, spin};
  body.particles_per_cell = dimension == 3 ? 4 : 0;
  scene.bodies = {body};
  return scene;
}

double norm(const Vec3& v) { return std::hypot(v[0], v[1], v[2]); }

double change_of_angular_momentum(const Scene& scene) {
  Simulation sim(scene, test::kOneThread);
  const Vec3 start = sim.totals().angular_momentum;
  double largest = 0;
  for (int k = 0; k < 10; ++k) {
    sim.advance_steps(100);
    const Vec3 now = sim.totals().angular_momentum;
    largest = std::max(
        largest, norm({now[0] - start[0], now[1] - start[1], now[2] - start[2]}) / norm(start));
  }
  return largest;
}

// Without forces: a modulus of 1e-9 Pa changes velocities by less than 1e-9 of themselves, so
// particles fly on straight lines, and part. The turn is half a radian in all.
TEST(Rotation, FreeFlightKeepsAngularMomentum) {
  for (int d : {2, 3}) {
    EXPECT_LE(change_of_angular_momentum(spinning_body(d, Precision::kDouble, 1e-9, 5e-4)), 1e-12)
        << d;
    EXPECT_LE(change_of_angular_momentum(spinning_body(d, Precision::kSingle, 1e-9, 5e-4)), 1e-5)
        << d;
  }
}

// With elastic forces the body turns as a whole, about twice; the force of a symmetric stress
// exerts no torque.
TEST(Rotation, ElasticBodyKeepsAngularMomentum) {
  for (int d : {2, 3}) {
    EXPECT_LE(change_of_angular_momentum(spinning_body(d, Precision::kDouble, 2e5, 0.012)), 1e-12)
        << d;
    EXPECT_LE(change_of_angular_momentum(spinning_body(d, Precision::kSingle, 2e5, 0.012)), 1e-5)
        << d;
  }
}

TEST(Rotation, PicLosesAngularMomentum) {
  Scene scene = spinning_body(2, Precision::kDouble, 2e5, 0.012);
  scene.transfer.type = TransferType::kPic;
  EXPECT_GE(change_of_angular_momentum(scene), 0.1);
}

}  // namespace
}  // namespace firn

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/validation.h"

namespace firn {
namespace {

constexpr double kLength = 50, kE = 1e6, kRho = 80, kGravity = 10;

struct Column { double tip, base, error; };
Column settle(int cells, int per_cell) {
  Material material;
  material.name = "Hencky";
  material.model = MaterialModel::kStvkHencky;
  material.density = kRho;
  material.youngs_modulus = kE;
  const double dx = kLength / cells;
  Scene scene = test::plane_scene(material, dx, 0.5 * dx / std::sqrt(kE / kRho));
  test::add_row(scene, 0, kLength, per_cell);
  scene.grid.domain->max[0] = 2 * kLength;
  const double ramp = 20;
  scene.simulation.fps = 1/ramp;
  Simulation sim(scene, test::kOneThread);
  const Snapshot start = sim.snapshot();
  sim.set_body_force([=](std::uint32_t, double t) {
    const double s = std::min(t / ramp, 1.0);
    return Vec3{-kGravity * s * s * s * (10 + s * (6 * s - 15)), 0, 0};
  });
  sim.advance_frame();
  const Snapshot now = sim.snapshot();
  double sum = 0, weight = 0;
  const double ref = kRho * kGravity * kLength;
  Column c{};
  for (std::size_t p = 0; p < now.size(); ++p) {
    const double J = double(now.deformation_gradient[4 * p]) * now.deformation_gradient[4 * p + 3];
    const double sigma = now.kirchhoff_stress[4 * p] / J, exact = -kRho * kGravity * (kLength - start.position[2 * p]);
    sum += std::abs(sigma - exact); weight += ref;
    if (p < 6 || p + 4 > now.size()) printf("   X %g x %g sigma %g exact %g\n", start.position[2*p], now.position[2*p], sigma, exact);
  }
  c.error = sum / weight;
  printf("%d cells: err %g  tip %g speed %g wall %g\n", cells, c.error, now.position[2 * now.size() - 2], sim.stats().max_speed, sim.stats().wall_seconds);
  return c;
}
TEST(Column, X) {
  for (int cells : {25, 50, 100}) settle(cells, 4);
  for (int cells : {25, 50, 100}) settle(cells, 2);
}

}  // namespace
}  // namespace firn

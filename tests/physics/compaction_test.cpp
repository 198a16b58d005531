// Soil pressed together by a plate that comes down slowly, without room to the sides: what the
// whole engine makes of it is what the law says of such a point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "firn/scene_file.h"
#include "kernels/materials/material.h"
#include "src/state/material_params.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

Material soil(HardeningLaw law) {
  Material m = elastic("soil", MaterialModel::kCamClay, 1e6, 1500);
  m.friction_angle = 0.5;
  m.preconsolidation = 5e3;
  m.hardening = 12;
  m.hardening_law = law;
  return m;
}

struct Stresses {
  double along = 0, across = 0;  // Kirchhoff's, Pa
};

// Of a point whose height falls to e^-strain, in small steps.
template <int D>
Stresses of_law(const Material& material, double strain) {
  const auto params = make_material_params<double>(material, D);
  MaterialState<double, D> state;
  state.F = Mat<double, D>::identity();
  start_history<double, D>(params.model, state.history);
  constexpr int kSteps = 4000;
  Mat<double, D> step = Mat<double, D>::identity();
  step(1, 1) = std::exp(-strain / kSteps);
  Mat<double, D> tau;
  for (int k = 0; k < kSteps; ++k) {
    state.F = step * state.F;
    tau = respond(params, state).tau;
  }
  return {tau(1, 1), tau(0, 0)};
}

template <int D>
void expect_compaction(HardeningLaw law) {
  constexpr double kHeight = 0.4, kSpeed = 0.05;
  Scene scene = empty_scene(D, 0.05);
  scene.simulation.gravity = {};
  scene.transfer.type = TransferType::kPic;
  scene.materials = {soil(law)};
  scene.grid.domain = closed_box({0, 0, 0}, {0.2, 1, 0.2});
  scene.bodies = {lattice("block", box({0, 0, 0}, {0.2, kHeight, 0.2}))};
  Collider plate =
      collider("plate", box({-1, kHeight, -1}, {1, kHeight + 0.5, 1}), BoundaryType::kSlip);
  plate.motion = Keyframes{{0, 2}, {{0, 0, 0}, {0, -2 * kSpeed, 0}}, {}, {}};
  scene.colliders = {plate};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 24; ++frame) simulation.advance_frame();
  const Snapshot s = simulation.snapshot();
  Stresses mean;
  double strain = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::size_t n = D * D;
    mean.across += s.kirchhoff_stress[n * i] / static_cast<double>(s.size());
    mean.along += s.kirchhoff_stress[n * i + D + 1] / static_cast<double>(s.size());
    strain -= std::log(s.deformation_gradient[n * i] * s.deformation_gradient[n * i + D + 1] *
                       (D == 3 ? s.deformation_gradient[n * i + 8] : 1)) /
              static_cast<double>(s.size());
    strain -= s.plastic_state[i] / static_cast<double>(s.size());
  }
  EXPECT_NEAR(strain, -std::log(1 - kSpeed / kHeight), 0.01);
  const Stresses expected = of_law<D>(scene.materials[0], strain);
  EXPECT_NEAR(mean.along, expected.along, 0.01 * std::abs(expected.along));
  EXPECT_NEAR(mean.across, expected.across, 0.01 * std::abs(expected.across));
  // Far beyond where it began to yield.
  EXPECT_LT(mean.along, -2 * scene.materials[0].preconsolidation);
}

// How far the middle half of the particles of the slab that lie below the block have come, m.
double slid(const Scene& scene) {
  Simulation simulation = simulate(scene, 2);
  const Snapshot before = simulation.snapshot();
  for (int frame = 0; frame < 14; ++frame) simulation.advance_frame();
  const Snapshot after = simulation.snapshot();
  std::vector<Vec3> start(before.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    start.at(before.id[i]) = {before.position[2 * i], before.position[2 * i + 1], 0};
  std::vector<double> way;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const Vec3& from = start.at(after.id[i]);
    const double x = after.position[2 * i], y = after.position[2 * i + 1];
    if (scene.materials[static_cast<std::size_t>(after.material[i])].name == "slab" && from[0] > 1)
      way.push_back(std::hypot(x - from[0], y - from[1]));
  }
  std::nth_element(way.begin(), way.begin() + static_cast<long>(way.size() / 2), way.end());
  return way[way.size() / 2];
}

TEST(Compaction, ASlabStaysOnItsWeakLayerUntilThatBreaks) {
  const std::string file = std::string(FIRN_SOURCE_DIR) + "/scenes/slab-avalanche.toml";
  EXPECT_LT(slid(load_scene(file, {"quiet", {}})), 0.002);
  EXPECT_GT(slid(load_scene(file)), 0.2);
}

TEST(Compaction, OfSoilUnderAPlateIsThatOfTheLaw) {
  expect_compaction<2>(HardeningLaw::kExponential);
  expect_compaction<3>(HardeningLaw::kExponential);
  expect_compaction<2>(HardeningLaw::kSinh);
}

}  // namespace
}  // namespace firn::test

// Bodies that begin under stress: a column under its own weight stays as it is, whatever it is made
// of, and what a material does not bear is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kHeight = 1, kDensity = 1500;

ScalarField weight_above(double share) {
  return {0, fmt::format("-{} * ({} - y)", share * kDensity * kGravity, kHeight)};
}

// A column of a square metre between slippery walls; `lateral`: its horizontal stress over the
// vertical one.
Scene column(const Material& material, double lateral, int dimension, Integrator integrator) {
  Scene scene = empty_scene(dimension, dimension == 3 ? 0.125 : 0.0625, Precision::kDouble);
  scene.simulation.integrator = integrator;
  scene.simulation.gravity = {0, -kGravity, 0};
  scene.simulation.fps = 24;
  scene.materials = {material};
  scene.materials[0].density = kDensity;
  const double depth = dimension == 3 ? 0.5 : 0;
  scene.grid.domain = closed_box({0, 0, 0}, {0.5, 2, depth});
  scene.grid.domain->boundary.fill(BoundaryType::kSlip);
  scene.bodies = {lattice("column", box({0, 0, 0}, {0.5, kHeight, depth}))};
  scene.bodies[0].stress.component = {weight_above(lateral), weight_above(1), {}};
  if (dimension == 3) scene.bodies[0].stress.component[2] = weight_above(lateral);
  return scene;
}

// m/s, within so many frames.
double largest_speed(const Scene& scene, int frames) {
  Simulation simulation = simulate(scene);
  double fastest = 0;
  for (int frame = 0; frame < frames; ++frame) {
    simulation.advance_frame();
    fastest = std::max(fastest, simulation.stats().max_speed);
  }
  return fastest;
}

Material solid(MaterialModel model) {
  Material m = elastic("solid", model, 2e5);
  m.poisson_ratio = 0.3;
  m.friction_angle = 0.7;
  return m;
}

TEST(InitialStress, AColumnRestsUnderItsOwnWeight) {
  constexpr double kAtRest = 0.3 / 0.7;  // nu / (1 - nu): no strain across it
  for (const int dimension : {2, 3})
    for (const MaterialModel model : {MaterialModel::kNeoHookean, MaterialModel::kFixedCorotated,
                                      MaterialModel::kStvkHencky, MaterialModel::kDruckerPrager})
      for (const Integrator integrator : {Integrator::kExplicit, Integrator::kOptimization}) {
        SCOPED_TRACE(fmt::format("{}D, law {}, integrator {}", dimension, static_cast<int>(model),
                                 static_cast<int>(integrator)));
        Scene scene = column(solid(model), kAtRest, dimension, integrator);
        const double stressed = largest_speed(scene, 6);
        scene.bodies[0].stress = {};
        const double falling = largest_speed(scene, 6);
        EXPECT_LT(stressed, 0.002 * falling);
      }
}

TEST(InitialStress, IsTheStressOfSnapshots) {
  for (const int dimension : {2, 3}) {
    const Scene scene =
        column(solid(MaterialModel::kNeoHookean), 0.8, dimension, Integrator::kOptimization);
    Simulation simulation = simulate(scene);
    const Snapshot s = simulation.snapshot();
    ASSERT_GT(s.size(), 0U);
    const auto d = static_cast<std::size_t>(dimension);
    for (std::size_t p = 0; p < s.size(); ++p) {
      const double vertical = -kDensity * kGravity * (kHeight - s.position[p * d + 1]);
      EXPECT_NEAR(s.kirchhoff_stress[p * d * d], 0.8 * vertical, 1e-5 * kDensity * kGravity);
      EXPECT_NEAR(s.kirchhoff_stress[p * d * d + d + 1], vertical, 1e-5 * kDensity * kGravity);
      EXPECT_EQ(s.kirchhoff_stress[p * d * d + 1], 0);
    }
  }
}

TEST(InitialStress, WaterHasItsPressure) {
  Material water;
  water.name = "water";
  water.model = MaterialModel::kWeaklyCompressible;
  water.bulk_modulus = 2e5;
  water.gamma = 7;
  Scene scene = column(water, 1, 2, Integrator::kExplicit);
  const double stressed = largest_speed(scene, 6);
  scene.bodies[0].stress = {};
  EXPECT_LT(stressed, 0.1 * largest_speed(scene, 6));
}

TEST(InitialStress, WhatAMaterialDoesNotBearIsRefused) {
  const auto begin = [](const Scene& scene) { simulate(scene); };
  // An active state that the friction does not hold.
  const Scene slipping =
      column(solid(MaterialModel::kDruckerPrager), 0.1, 2, Integrator::kExplicit);
  expect_error(ErrorCategory::kScene,
               {"body \"column\": its stress at [", "more than 'solid' bears"},
               [&] { begin(slipping); });
  Material water;
  water.name = "water";
  water.model = MaterialModel::kWeaklyCompressible;
  water.bulk_modulus = 2e5;
  water.gamma = 7;
  expect_error(ErrorCategory::kScene, {"more than 'water' bears"},
               [&] { begin(column(water, 0.5, 2, Integrator::kExplicit)); });
  Scene pulled = column(water, 1, 2, Integrator::kExplicit);
  pulled.bodies[0].stress.component = {ScalarField{100, ""}, ScalarField{100, ""}, ScalarField{}};
  expect_error(ErrorCategory::kScene, {"more than 'water' bears"}, [&] { begin(pulled); });
  Scene infinite = column(solid(MaterialModel::kNeoHookean), 0.4, 2, Integrator::kExplicit);
  infinite.bodies[0].stress.component[0] = {0, "-1 / (x - x)"};
  expect_error(ErrorCategory::kScene, {"is not finite"}, [&] { begin(infinite); });
  Scene both = column(solid(MaterialModel::kNeoHookean), 0.4, 2, Integrator::kExplicit);
  both.bodies[0].stretch = 0.99;
  expect_error(ErrorCategory::kScene, {"'stress' or with a 'stretch'"}, [&] { begin(both); });
}

}  // namespace
}  // namespace firn::test

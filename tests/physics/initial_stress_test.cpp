// Bodies that begin under stress: a column under its own weight stays as it is, whatever it is made
// of, and what a material does not bear is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/math/mat.h"
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
    const Snapshot s =
        simulation.snapshot({.deformation_gradient = true, .kirchhoff_stress = true});
    ASSERT_GT(s.size(), 0U);
    const auto d = static_cast<std::size_t>(dimension);
    for (std::size_t p = 0; p < s.size(); ++p) {
      const double vertical = -kDensity * kGravity * (kHeight - s.position[p * d + 1]);
      double J = 1;  // F is diagonal
      for (std::size_t a = 0; a < d; ++a) J *= s.deformation_gradient[p * d * d + a * (d + 1)];
      const auto cauchy = [&](std::size_t k) { return s.kirchhoff_stress[p * d * d + k] / J; };
      EXPECT_NEAR(cauchy(0), 0.8 * vertical, 1e-5 * kDensity * kGravity);
      EXPECT_NEAR(cauchy(d + 1), vertical, 1e-5 * kDensity * kGravity);
      EXPECT_EQ(cauchy(1), 0);
    }
  }
}

Material water_of(double bulk_modulus) {
  Material water;
  water.name = "water";
  water.model = MaterialModel::kWeaklyCompressible;
  water.bulk_modulus = bulk_modulus;
  water.gamma = 7;
  return water;
}

// Pressed by it or not, a body fills its shape, with the mass that its density says.
TEST(InitialStress, FillsTheShapeOfTheBody) {
  for (const Material& material : {solid(MaterialModel::kNeoHookean), water_of(2e4)}) {
    SCOPED_TRACE(material.name);
    const Totals t = simulate(column(material, 1, 2, Integrator::kExplicit)).totals();
    EXPECT_NEAR(t.volume, 0.5 * kHeight, 1e-6);
    EXPECT_NEAR(t.mass, 0.5 * kHeight * kDensity, 1e-9 * kDensity);
  }
}

// Between walls that shear it water keeps the pressure that it begins with: what holds its volume
// ratio knows how dense it is.
TEST(InitialStress, WaterKeepsItsPressureUnderShear) {
  constexpr double kPressure = 1e4, kRate = 2;  // Pa, 1/s
  Scene scene = empty_scene(2, 0.03125, Precision::kDouble);
  scene.simulation.gravity = {0, 0, 0};
  scene.transfer.type = TransferType::kAflip;
  scene.transfer.blend = 0.95;
  scene.materials = {water_of(1e5)};
  scene.materials[0].density = 1000;
  scene.materials[0].viscosity = 20;
  scene.grid.domain = closed_box({0, -0.25, 0}, {0.5, 0.75, 0});
  scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
  scene.bodies = {lattice("water", box({0, 0, 0}, {0.5, 0.5, 0}))};
  scene.bodies[0].velocity.component[0].expression = fmt::format("{}*y", kRate);
  scene.bodies[0].stress.component = {ScalarField{-kPressure, ""}, ScalarField{-kPressure, ""}, {}};
  scene.colliders = {collider("below", half_space({0, 0, 0}, {0, 1, 0}), BoundaryType::kSticky),
                     collider("above", half_space({0, 0.5, 0}, {0, -1, 0}), BoundaryType::kSticky)};
  scene.colliders[1].motion = Keyframes{{0, 10}, {{0, 0, 0}, {5 * kRate, 0, 0}}, {}, {}};
  Simulation simulation = simulate(scene);
  run_to(simulation, 1.5);  // a strain of three
  EXPECT_NEAR(simulation.stats().reactions[1].force[1], 0.5 * kPressure, 0.02 * 0.5 * kPressure);
}

TEST(InitialStress, WaterHasItsPressure) {
  Scene scene = column(water_of(2e5), 1, 2, Integrator::kExplicit);
  const double stressed = largest_speed(scene, 6);
  scene.bodies[0].stress = {};
  EXPECT_LT(stressed, 0.1 * largest_speed(scene, 6));
}

// Next to nothing, as at a surface, of whatever is stiff: what the stretches round to.
TEST(InitialStress, HardlyAnyIsBorneByAll) {
  for (const MaterialModel model :
       {MaterialModel::kNeoHookean, MaterialModel::kFixedCorotated, MaterialModel::kStvkHencky,
        MaterialModel::kSnow, MaterialModel::kDruckerPrager, MaterialModel::kVonMises})
    for (const double modulus : {1e6, 1e7, 1e9, 1e11})
      for (const int dimension : {2, 3})
        for (const int seed : {1, 2, 3}) {
          Material m = solid(model);
          m.youngs_modulus = modulus;
          m.yield_stress = 1e6;
          m.critical_compression = m.critical_stretch = 0.1;
          Scene scene = column(m, 0.3 / 0.7, dimension, Integrator::kExplicit);
          scene.bodies[0].sampling = Sampling::kPoisson;
          scene.simulation.seed = static_cast<std::uint64_t>(seed);
          EXPECT_NO_THROW(simulate(scene)) << int(model) << " " << modulus << " " << seed;
        }
}

// A layer without end on a slope: what its weight pulls along is shear stress.
TEST(InitialStress, ALayerRestsOnASlope) {
  constexpr double kAngle = 0.4;
  for (const int dimension : {2, 3})
    for (const MaterialModel model : {MaterialModel::kNeoHookean, MaterialModel::kDruckerPrager}) {
      Scene scene = column(solid(model), 0.9, dimension, Integrator::kExplicit);
      const double dx = 0.0625, length = 16 * dx, depth = dimension == 3 ? 8 * dx : 0;
      scene.grid.dx = dx;
      scene.simulation.gravity = {kGravity * std::sin(kAngle), -kGravity * std::cos(kAngle), 0};
      scene.grid.domain = closed_box({0, 0, 0}, {length, 2, depth});
      scene.grid.domain->boundary = {BoundaryType::kPeriodic, BoundaryType::kPeriodic,
                                     BoundaryType::kSticky,   BoundaryType::kSlip,
                                     BoundaryType::kSlip,     BoundaryType::kSlip};
      scene.bodies = {lattice("layer", box({0, 0, 0}, {length, kHeight, depth}))};
      Body& layer = scene.bodies[0];
      layer.stress.component = {
          weight_above(0.9 * std::cos(kAngle)), weight_above(std::cos(kAngle)), {}};
      if (dimension == 3) layer.stress.component[2] = weight_above(0.9 * std::cos(kAngle));
      const double without = largest_speed(scene, 4);
      layer.stress_xy = weight_above(-std::sin(kAngle));
      EXPECT_LT(largest_speed(scene, 4), 0.1 * without) << dimension << " " << int(model);
    }
}

// Any tensor, in any directions: what snapshots say is what was said.
TEST(InitialStress, HasShearInAllPlanes) {
  Scene scene = column(solid(MaterialModel::kNeoHookean), 0.5, 3, Integrator::kExplicit);
  const double said[3][3] = {{-4e3, 1e3, -2e3}, {1e3, -7e3, 500}, {-2e3, 500, -2e3}};
  Body& b = scene.bodies[0];
  for (std::size_t a = 0; a < 3; ++a) b.stress.component[a] = {said[a][a], ""};
  b.stress_xy = {said[0][1], ""}, b.stress_yz = {said[1][2], ""}, b.stress_zx = {said[2][0], ""};
  const Snapshot s = simulate(scene).snapshot();
  Mat<double, 3> F;
  for (int i = 0; i < 9; ++i) F(i / 3, i % 3) = static_cast<double>(s.deformation_gradient[i]);
  const double J = determinant(F);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(static_cast<double>(s.kirchhoff_stress[i]) / J, said[i / 3][i % 3], 1);
}

TEST(InitialStress, WhatAMaterialDoesNotBearIsRefused) {
  const auto begin = [](const Scene& scene) { simulate(scene); };
  // An active state that the friction does not hold.
  const Scene slipping =
      column(solid(MaterialModel::kDruckerPrager), 0.1, 2, Integrator::kExplicit);
  expect_error(ErrorCategory::kScene,
               {"body \"column\": its stress at [", "more than 'solid' bears"},
               [&] { begin(slipping); });
  const Material water = water_of(2e5);
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
  Scene sheared = column(solid(MaterialModel::kNeoHookean), 0.4, 2, Integrator::kExplicit);
  sheared.bodies[0].stress = {};
  sheared.bodies[0].stress_xy = {0, "1 / (x - x)"};
  expect_error(ErrorCategory::kScene, {"is not finite"}, [&] { begin(sheared); });
  sheared.bodies[0].stress_yz = {1, ""};
  expect_error(ErrorCategory::kScene, {"'stress_yz' is not in the plane"}, [&] { begin(sheared); });
}

}  // namespace
}  // namespace firn::test

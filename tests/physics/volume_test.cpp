// The volume that the ledger tells: of material that flies apart or together without any force to
// speak of it is known, whatever part of its deformation the law takes for plastic.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/math/mat.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

// So soft that its stress moves nothing.
constexpr double kSoft = 1e-9, kYield = 1e-11;

Material soft(MaterialModel model) {
  Material m = elastic("soft", model, kSoft);
  if (model == MaterialModel::kSnow || model == MaterialModel::kSandClamp) {
    m.critical_compression = 0.025;
    m.critical_stretch = 0.0075;
  }
  if (model == MaterialModel::kDruckerPrager) m.friction_angle = 0.6;
  if (model == MaterialModel::kVonMises) m.yield_stress = kYield;
  if (model == MaterialModel::kViscoelastic) m.relaxation_time = 0.02;
  if (model == MaterialModel::kHerschelBulkley) {
    m.yield_stress = kYield;
    m.consistency = kYield;
    m.flow_index = 1;
  }
  if (model == MaterialModel::kWeaklyCompressible) {
    m.youngs_modulus = 0;
    m.bulk_modulus = kSoft;
  }
  return m;
}

constexpr double kStep = 1e-3;  // s

// A body that begins stretched fills its shape so: what it weighs is that of its volume at rest.
TEST(Volume, OfAStretchedBodyIsThatOfItsShape) {
  for (const int d : {2, 3}) {
    Scene scene = empty_scene(d, 0.1);
    scene.materials = {elastic("jelly")};
    scene.bodies = {body("block", 0, box({0, 0, 0}, {1, 0.5, 0.5}))};
    scene.bodies[0].stretch = 1.25;
    const Totals at_start = simulate(scene).totals();
    const double volume = d == 3 ? 0.25 : 0.5;
    EXPECT_NEAR(at_start.volume, volume, 1e-9);
    EXPECT_NEAR(at_start.mass, 1000 * volume / std::pow(1.25, d), 1e-6);
  }
}

// A block whose velocity at the start is A x: x(t) = (1 + A t) x(0). Affine transfers keep such a
// motion but for their gradients, which are those of the step before: (|A| dt)^2 in each step.
Scene flight(const Material& material, int dimension, const Mat<double, 3>& A) {
  Scene scene = empty_scene(dimension, 0.1);
  scene.simulation.gravity = {};
  scene.time.dt_max = kStep;
  scene.materials = {material};
  scene.bodies = {body("block", 0, box({-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}))};
  for (int i = 0; i < dimension; ++i) {
    std::string& v = scene.bodies[0].velocity.component[static_cast<std::size_t>(i)].expression;
    for (int j = 0; j < dimension; ++j)
      v += (j > 0 ? "+(" : "(") + std::to_string(A(i, j)) + ")*" + "xyz"[j];
  }
  return scene;
}

class Volume : public testing::TestWithParam<MaterialModel> {};

// One that shears and shrinks, and one that shears and grows; half of the way would do for all of
// these laws to flow that can.
TEST_P(Volume, IsThatOfTheMotion) {
  for (const int d : {2, 3})
    for (const double growth : {-0.8, 0.8}) {
      const Mat<double, 3> A{
          {{growth, 0.7, 0.2}, {-0.3, 0.5 * growth, 0.6}, {0.1, -0.4, 0.3 * growth}}};
      Simulation simulation = simulate(flight(soft(GetParam()), d, A));
      const double rest = simulation.totals().mass / 1000;
      EXPECT_NEAR(simulation.totals().volume, rest, 1e-9 * rest);
      simulation.advance_frame(), simulation.advance_frame();
      Mat<double, 3> F = Mat<double, 3>::identity();
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) F(i, j) += simulation.time() * A(i, j);
      EXPECT_GT(std::abs(determinant(F) - 1), 0.05);
      const double lag = contract(A, A) * kStep * simulation.time();
      EXPECT_NEAR(simulation.totals().volume, determinant(F) * rest, lag * rest)
          << d << "D, growth " << growth;
      EXPECT_EQ(simulation.stats().totals.volume, simulation.totals().volume);
    }
}

INSTANTIATE_TEST_SUITE_P(OfEvery, Volume,
                         testing::Values(MaterialModel::kNeoHookean, MaterialModel::kFixedCorotated,
                                         MaterialModel::kStvkHencky, MaterialModel::kSnow,
                                         MaterialModel::kSandClamp, MaterialModel::kDruckerPrager,
                                         MaterialModel::kVonMises, MaterialModel::kViscoelastic,
                                         MaterialModel::kHerschelBulkley,
                                         MaterialModel::kWeaklyCompressible),
                         [](const auto& test) {
                           return "Model" + std::to_string(static_cast<int>(test.param));
                         });

// In steps of which each changes J by less than half of the last digit of a float.
TEST(Volume, OfWaterThatCreeps) {
  for (const int d : {2, 3}) {
    constexpr double kRate = -4e-4;  // 1/s
    Scene scene =
        flight(soft(MaterialModel::kWeaklyCompressible), d, Mat<double, 3>::scaled_identity(kRate));
    scene.simulation.precision = Precision::kSingle;
    scene.time.dt_max = 2e-5;
    ASSERT_LT(d * -kRate * scene.time.dt_max, 2.9e-8);
    Simulation simulation = simulate(scene);
    simulation.advance_frame();
    const double expected = std::expm1(d * kRate * simulation.time());
    ASSERT_GT(simulation.stats().total_steps, 1000);
    for (const float growth : simulation.snapshot().plastic_state)
      ASSERT_NEAR(growth, expected, 0.005 * -expected) << d << "D";
  }
}

TEST(Volume, OfABlockThatIsPressedTogether) {
  for (const int d : {2, 3}) {
    Scene scene = empty_scene(d, 0.1);
    scene.simulation.gravity = {};
    scene.materials = {elastic("jelly")};
    scene.bodies = {body("block", 0, box({-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}))};
    scene.bodies[0].stretch = 0.9;
    const Totals totals = simulate(scene).totals();
    EXPECT_NEAR(totals.volume, std::pow(0.9, d) * totals.mass / 1000, 1e-9 * totals.volume);
  }
}

// Where pressures come from a projection the volume is kept beside the heat; liquids that cannot be
// compressed have that at rest.
TEST(Volume, OfWhatAProjectionMoves) {
  for (const int d : {2, 3}) {
    Scene gel = thermal_scene(d, 0.1);
    gel.materials = {solid("gel", 1e3, 1e4)};
    gel.bodies = {body("block", 0, box({-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}))};
    gel.bodies[0].temperature.constant = 300;
    gel.bodies[0].stretch = 0.9;
    const Totals pressed = simulate(gel).totals();
    EXPECT_NEAR(pressed.volume, std::pow(0.9, d) * pressed.mass / 1000, 1e-9 * pressed.volume);
    Simulation expands = simulate(gel);
    expands.advance_steps(3);
    EXPECT_GT(expands.totals().volume, 1.001 * pressed.volume);

    Scene pool = liquid_scene(d, 0.1);
    pool.bodies = {body("block", 0, box({-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}))};
    Simulation falls = simulate(pool);
    falls.advance_steps(2);
    EXPECT_NEAR(falls.totals().volume, falls.totals().mass / 1000, 1e-9);
  }
}

}  // namespace
}  // namespace firn::test

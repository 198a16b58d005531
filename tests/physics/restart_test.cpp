// A run that stops, saves and goes on is the run that never stopped, and the number of threads
// changes nothing: both bit for bit.
#include <gtest/gtest.h>

#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

void expect_same(const Snapshot& a, const Snapshot& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.material, b.material);
  EXPECT_EQ(a.body, b.body);
  EXPECT_EQ(a.deformation_gradient, b.deformation_gradient);
  EXPECT_EQ(a.plastic_state, b.plastic_state);
  EXPECT_EQ(a.kirchhoff_stress, b.kirchhoff_stress);
}

struct Case {
  int dimension;
  Precision precision;
  TransferType transfer = TransferType::kApic;
  DiagnosticsLevel diagnostics = DiagnosticsLevel::kTotals;
  Integrator integrator = Integrator::kExplicit;
};
Scene scene_of(const Case& c) {
  Scene scene = c.integrator == Integrator::kIncompressible
                    ? busy_liquid_scene(c.dimension, c.precision)
                    : busy_scene(c.dimension, c.precision);
  scene.transfer.type = c.transfer;
  if (c.transfer == TransferType::kFlip) scene.transfer.blend = 0.95;
  scene.output.diagnostics = c.diagnostics;
  return scene;
}
std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::to_string(c.dimension) + "D" +
         (c.precision == Precision::kSingle ? "Single" : "Double") + "Transfer" +
         std::to_string(static_cast<int>(c.transfer)) + "Diagnostics" +
         std::to_string(static_cast<int>(c.diagnostics)) +
         (c.integrator == Integrator::kIncompressible ? "Liquid" : "");
}

Case liquid_case(int dimension, Precision precision, TransferType transfer) {
  return {dimension, precision, transfer, DiagnosticsLevel::kTotals, Integrator::kIncompressible};
}

class Restart : public testing::TestWithParam<Case> {};

TEST_P(Restart, GoesOnBitForBit) {
  const Scene scene = scene_of(GetParam());
  Simulation whole = simulate(scene);
  make_steps(whole, 200);
  const auto expected = whole.save_state();
  ASSERT_GT(whole.stats().emitted, 0);
  ASSERT_GT(whole.stats().removed, 0);
  for (int first : {37, 100}) {
    SCOPED_TRACE(first);
    Simulation before = simulate(scene);
    make_steps(before, first);
    const auto saved = before.save_state();
    Simulation after = simulate(scene);
    after.load_state(saved);
    EXPECT_EQ(after.save_state(), saved);
    make_steps(after, 200 - first);
    EXPECT_TRUE(after.save_state() == expected);
    expect_same(after.snapshot(), whole.snapshot());
    // The one that was only interrupted, too.
    make_steps(before, 200 - first);
    EXPECT_TRUE(before.save_state() == expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Restart,
    testing::Values(Case{2, Precision::kSingle}, Case{2, Precision::kDouble},
                    Case{3, Precision::kSingle}, Case{3, Precision::kDouble},
                    Case{2, Precision::kSingle, TransferType::kFlip},
                    Case{2, Precision::kDouble, TransferType::kPolypic},
                    Case{2, Precision::kSingle, TransferType::kApic, DiagnosticsLevel::kStages},
                    Case{2, Precision::kSingle, TransferType::kApic, DiagnosticsLevel::kOff},
                    liquid_case(2, Precision::kSingle, TransferType::kFlip),
                    liquid_case(2, Precision::kDouble, TransferType::kApic),
                    liquid_case(2, Precision::kSingle, TransferType::kPolypic)),
    name_of);

TEST(RestartReports, TotalsAreThoseOfTheSavedState) {
  Simulation before = simulate(busy_scene(2, Precision::kSingle));
  before.advance_frame();
  Simulation after = simulate(busy_scene(2, Precision::kSingle));
  after.load_state(before.save_state());
  const Totals a = before.stats().totals, b = after.stats().totals;
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.momentum, b.momentum);
  EXPECT_EQ(a.kinetic, b.kinetic);
  // Packs of a chunk are added up when they are saved: the same numbers in another order.
  EXPECT_NEAR(a.elastic, b.elastic, 1e-12 * a.elastic);
  EXPECT_EQ(after.stats().frame, 1);
  EXPECT_EQ(after.stats().particles, before.stats().particles);
}

// Each particle has a home block of its own, and all of that block's neighbours.
TEST(RestartFarApart, EveryBlockOfEveryParticleIsThere) {
  for (int dimension : {2, 3})
    for (const bool fused : {false, true}) {
      Scene scene = empty_scene(dimension, 0.1);
      scene.simulation.fused = fused;
      scene.materials = {elastic("dust")};
      for (int i = 0; i < 5; ++i) {
        const Vec3 low{3.2 * i, 0.2, 0.2}, high{3.2 * i + 0.1, 0.3, 0.3};
        scene.bodies.push_back(body("speck" + std::to_string(i), 0, box(low, high), {1, 0, 0}));
        scene.bodies.back().sampling = Sampling::kUniform;
        scene.bodies.back().particles_per_cell = 1;
      }
      Simulation before = simulate(scene), after = simulate(scene);
      before.advance_frame();
      ASSERT_EQ(before.stats().particles, 5);
      after.load_state(before.save_state());
      for (Simulation* simulation : {&before, &after}) simulation->advance_frame();
      expect_same(before.snapshot(), after.snapshot());
    }
}

class Threads : public testing::TestWithParam<Case> {};

TEST_P(Threads, ChangeNothing) {
  Scene scene = scene_of(GetParam());
  // Enough particles for the parallel branches of sorting and launching.
  scene.bodies.push_back(body("rain", 0, box({0.05, 1, 0.05}, {0.95, 1.6, 0.5}), {0, -1, 0}));
  scene.bodies.back().particles_per_cell = GetParam().dimension == 2 ? 80 : 12;
  scene.bodies.back().sampling = Sampling::kRandom;
  std::vector<std::byte> expected;
  for (int threads : {1, 2, 3, 5}) {
    Simulation simulation = simulate(scene, threads);
    ASSERT_GT(simulation.stats().particles, 16384);
    make_steps(simulation, 50);
    if (threads == 1)
      expected = simulation.save_state();
    else
      EXPECT_TRUE(simulation.save_state() == expected) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Threads,
    testing::Values(Case{3, Precision::kSingle}, Case{2, Precision::kDouble, TransferType::kFlip},
                    Case{2, Precision::kSingle, TransferType::kApic, DiagnosticsLevel::kStages},
                    liquid_case(2, Precision::kDouble, TransferType::kFlip),
                    liquid_case(3, Precision::kSingle, TransferType::kApic)),
    name_of);

}  // namespace
}  // namespace firn::test

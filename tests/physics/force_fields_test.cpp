// Forces of a scene: fields of accelerations and air that drags, where they act, on what, and what
// they feed; on every integrator, and in fused steps as in plain ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/library_scenes.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr RunOptions kOneThread{Device::kCpu, 1}, kOnCuda{Device::kCuda};

VectorField field(const std::string& x, const std::string& y, const std::string& z = "0") {
  VectorField all;
  all.component = {{{0, x}, {0, y}, {0, z}}};
  return all;
}
ForceField pull(const VectorField& acceleration) {
  ForceField force;
  force.name = "pull";
  force.acceleration = acceleration;
  return force;
}
ForceField wind(double drag, const VectorField& velocity) {
  ForceField force;
  force.name = "wind";
  force.drag = drag;
  force.velocity = velocity;
  return force;
}
VectorField uniform(const Vec3& value) {
  VectorField all;
  for (std::size_t a = 0; a < 3; ++a) all.component[a].constant = value[a];
  return all;
}

// The mean velocity along x of particles in 2D.
double mean_speed(const Simulation& simulation, std::size_t begin, std::size_t end) {
  const auto v = simulation.field<double>("velocity");
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += v[2 * i];
  return sum / static_cast<double>(end - begin);
}

// The same acceleration for all is gravity.
TEST(ForceFields, ThatAreUniformAreGravity) {
  for (const LibraryCase& c : library_cases()) {
    if (c.precision == Precision::kSingle) continue;
    SCOPED_TRACE(c.name());
    Scene falling = two_balls(c), pulled = falling;
    falling.simulation.gravity = {0, -3, 0};
    pulled.forces = {pull(uniform({0, -2, 0})), pull(field("0", "-1"))};
    pulled.forces[1].name = "more";
    Simulation one(falling, kOneThread), other(pulled, kOneThread);
    for (Simulation* s : {&one, &other}) s->advance_steps(30);
    const auto x = one.field<double>("position"), y = other.field<double>("position");
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(x[i], y[i], 30 * 27 * std::numeric_limits<double>::epsilon());
    EXPECT_NEAR(other.totals().momentum[1], -3 * other.time() * other.totals().mass, 1e-9);
  }
}

// dv/dt = drag (air - v), solved exactly in every step, also where drag * dt is large.
TEST(ForceFields, AirTakesAlongWhatIsInIt) {
  for (const auto integrator :
       {Integrator::kExplicit, Integrator::kSemiImplicit, Integrator::kOptimization}) {
    for (const double drag : {2.0, 400.0}) {
      SCOPED_TRACE(drag);
      Scene scene = two_balls({2, Precision::kDouble, true});
      scene.simulation.integrator = integrator;
      scene.time.dt_max = 5e-3;
      scene.forces = {wind(drag, uniform({3, 0, 0}))};
      Simulation simulation(scene, kOneThread);
      simulation.advance_until(0.05);
      const Totals t = simulation.totals();
      EXPECT_NEAR(t.momentum[0] / t.mass, 3 * (1 - std::exp(-drag * 0.05)), 1e-6);
    }
  }
}

// As in the middle of the step: of second order in its length.
TEST(ForceFields, ThatChangeInTime) {
  Scene scene = two_balls({2, Precision::kDouble, true});
  scene.time.dt_max = 1e-3;
  scene.forces = {pull(field("cos(30*t)", "0"))};
  Simulation simulation(scene, kOneThread);
  simulation.advance_until(0.04);
  const Totals t = simulation.totals();
  const double impulse = std::sin(30 * 0.04) / 30;
  EXPECT_NEAR(t.momentum[0] / t.mass, impulse, impulse * 1e-4);
}

// Each ball in a spring of its own place: its centre swings as cos(omega t).
TEST(ForceFields, ThatDependOnThePlace) {
  Scene scene = two_balls({3, Precision::kDouble, true});
  scene.bodies.resize(1);
  scene.forces = {pull(field("-400*x", "-400*y", "-400*z"))};
  Simulation simulation(scene, kOneThread);
  const double begin = simulation.totals().center_of_mass[0];
  simulation.advance_until(0.05);
  // The material is pressed together and springs back, which its centre does not feel.
  EXPECT_NEAR(simulation.totals().center_of_mass[0], begin * std::cos(20 * 0.05), 2e-3);
}

TEST(ForceFields, ActInAShapeAndOnSomeMaterials) {
  Scene scene = two_balls({2, Precision::kDouble, true});
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "stone";
  scene.bodies[1].material = 1;
  ForceField in_shape = pull(uniform({1, 0, 0})), on_stone = pull(uniform({10, 0, 0}));
  in_shape.shape = box({-1, -1, 0}, {-0.01, 1, 0});
  on_stone.name = "stone's";
  on_stone.materials = {1};
  scene.forces = {in_shape, on_stone};
  Simulation simulation(scene, kOneThread);
  simulation.advance_until(0.01);
  const auto x = simulation.field<double>("position");
  std::size_t left = 0;
  while (x[2 * left] < 0) ++left;
  EXPECT_NEAR(mean_speed(simulation, 0, left), 0.01, 1e-9);
  EXPECT_NEAR(mean_speed(simulation, left, x.size() / 2), 0.1, 1e-9);
}

// Through the seam of a periodic domain a place is where the scene says it is.
TEST(ForceFields, KnowPlacesInPeriodicDomains) {
  Scene scene = two_balls({2, Precision::kDouble, true});
  scene.bodies.resize(1);
  Domain domain;
  domain.min = {-0.8, -0.8, 0}, domain.max = {0.8, 0.8, 0};
  domain.boundary.fill(BoundaryType::kPeriodic);
  scene.grid.domain = domain;
  scene.bodies[0].shape = sphere({-0.79, 0, 0}, 0.2);  // half of it comes in at the right
  scene.bodies[0].velocity = uniform({-5, 0, 0});
  ForceField force = pull(uniform({0, 2, 0}));
  force.shape = box({-0.9, -1, 0}, {0.9, 1, 0});
  scene.forces = {force};
  Simulation simulation(scene, kOneThread);
  simulation.advance_until(0.02);
  const Totals t = simulation.totals();
  EXPECT_NEAR(t.momentum[1] / t.mass, 0.04, 1e-9);
}

// What they do is fed: nothing is gained that nobody gave.
TEST(ForceFields, FeedWhatTheEnergyWatchCounts) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kOptimization}) {
    Scene scene = two_balls({2, Precision::kDouble, true});
    scene.simulation.integrator = integrator;
    scene.forces = {wind(3, uniform({4, 0, 0})), pull(field("0", "20*sin(40*t)"))};
    scene.forces[1].name = "swing";
    Simulation simulation(scene, kOneThread);
    double fed = 0;
    for (int frame = 0; frame < 4; ++frame) {
      simulation.advance_frame();
      fed += simulation.stats().force_work;
    }
    const FrameStats& stats = simulation.stats();
    EXPECT_EQ(stats.energy.fed, fed);
    EXPECT_GT(stats.totals.kinetic, 100 * 0.01);
    EXPECT_NEAR(fed, stats.totals.kinetic, 2e-3 * fed);
    EXPECT_LT(stats.energy.gained, 1e-9 * fed);
  }
}

// A step that is rejected has given its kick, and its work, for nothing.
TEST(ForceFields, AreGivenOnceHoweverOftenAStepIsTried) {
  Scene scene = hardly_solved_square();
  scene.simulation.fps = 4;
  scene.forces = {pull(uniform({1, 0, 0}))};
  Simulation simulation(scene, kOneThread);
  simulation.advance_frame();
  EXPECT_GT(simulation.stats().implicit.rejected, 0);
  const Totals t = simulation.totals();
  EXPECT_NEAR(t.momentum[0] / t.mass, 0.25, 1e-6);
  // Of a uniform force on what has no momentum before: that of the centre of mass.
  EXPECT_NEAR(simulation.stats().force_work, 0.5 * t.mass * 0.25 * 0.25, 1e-3 * t.mass);
}

Scene lump_of_wax() {
  Scene warm = thermal_scene(2, 0.1);
  warm.materials = {solid("wax", 1e4, 1e5)};
  warm.bodies = {body("lump", 0, sphere({0, 0, 0}, 0.3))};
  warm.bodies[0].temperature.constant = 300;
  warm.time.dt_max = 1 / warm.simulation.fps;
  return warm;
}
TEST(ForceFields, MoveLiquidsAndThermalMaterial) {
  Scene liquid = busy_liquid_scene(2, Precision::kDouble), still = liquid;
  liquid.forces = {pull(field("0.5", "0"))};
  Simulation moved(liquid, kOneThread), other(still, kOneThread);
  for (Simulation* s : {&moved, &other}) s->advance_steps(5);
  EXPECT_GT(moved.totals().momentum[0] - other.totals().momentum[0],
            0.1 * 0.5 * moved.time() * moved.totals().mass);
  Scene warm = lump_of_wax();
  warm.forces = liquid.forces;
  Simulation lump(warm, kOneThread);
  lump.advance_steps(5);
  const double impulse = 0.5 * lump.time() * lump.totals().mass;
  EXPECT_NEAR(lump.totals().momentum[0], impulse, 1e-3 * impulse);
}

// A step is chosen before its forces are known: one that is too long for them runs again, so that
// a gust that begins at once does not throw what rests through many cells.
void expect_cut(const Scene& still, const RunOptions& options) {
  constexpr double kBegin = 0.05, kDrag = 20, kWind = 30;
  Scene scene = still;
  scene.forces = {wind(kDrag, field("30*min(max(1e9*(t-0.05),0),1)", "0"))};
  Simulation simulation(scene, options);
  simulation.advance_until(kBegin);
  EXPECT_LT(simulation.stats().max_speed, 0.1);
  simulation.advance_steps(1);
  const FrameStats first = simulation.stats();
  EXPECT_EQ(first.limited_by, DtLimit::kForce);
  const double kick = kWind * (1 - std::exp(-kDrag * first.dt_last)), moved = kick * first.dt_last,
               allowed = scene.time.cfl * scene.grid.dx;
  EXPECT_LT(moved, 1.06 * allowed);
  EXPECT_GT(moved, 0.5 * allowed) << "no shorter than it must be";
  // Of the step that was made, not of those that were too long.
  EXPECT_NEAR(first.force_work / (0.5 * first.totals.mass * kick * kick), 1, 0.01);
}
Scene resting_pool(Precision precision) {
  Scene scene = liquid_scene(2, 0.05, precision);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  scene.bodies = {lattice("pool", box({0, 0, 0}, {1, 0.3, 0}))};
  return scene;
}
TEST(ForceFields, ThatBeginAtOnceCutTheStep) {
  expect_cut(resting_pool(Precision::kDouble), kOneThread);
  expect_cut(lump_of_wax(), kOneThread);
}
// The user's may be the impulse of one step, given once.
TEST(ForceFields, OfTheUserCutNone) {
  Simulation simulation(resting_pool(Precision::kDouble), kOneThread);
  int asked = 0;
  simulation.set_force([&](const ForceStep& step) {
    if (asked++ > 0) return;
    const auto& a = step.acceleration;
    for (std::int64_t c = 0; c < a.chunks; ++c)
      for (int lane = 0; lane < a.count(c); ++lane)
        static_cast<double*>(a.data)[c * a.chunk_stride + lane] = 5 / step.dt;
  });
  simulation.advance_steps(1);
  EXPECT_EQ(asked, 1);
  EXPECT_NEAR(simulation.stats().dt_last, 1 / 24.0, 1e-12);
}
TEST(GpuForceFields, ThatBeginAtOnceCutTheStep) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_cut(resting_pool(Precision::kSingle), kOnCuda);
}

// The state has the work of the frame so far.
TEST(ForceFields, AreOfTheKindOfAState) {
  Scene scene = two_balls({2, Precision::kDouble, true});
  Simulation without(scene, kOneThread);
  scene.forces = {pull(uniform({1, 0, 0}))};
  Simulation with(scene, kOneThread);
  expect_error(ErrorCategory::kFile, {"it has no forces, this scene forces: given"},
               [&] { with.load_state(without.save_state()); });
  expect_error(ErrorCategory::kFile, {"it has forces: given, this scene no forces"},
               [&] { without.load_state(with.save_state()); });
}

void expect_fault(Scene scene, const RunOptions& options) {
  scene.forces = {pull(field("0", "sqrt(0.02-t)"))};
  Simulation simulation(scene, options);
  expect_error(ErrorCategory::kScene,
               {"the acceleration of force \"pull\" along y is ", "t = 0.02", "a finite number"},
               [&] { simulation.advance_until(0.1); });
}
TEST(ForceFields, WithoutAValueEndTheRunByName) {
  expect_fault(two_balls({2, Precision::kSingle, true}), kOneThread);
  Scene implicit = two_balls({2, Precision::kSingle, true});
  implicit.simulation.integrator = Integrator::kOptimization;
  expect_fault(implicit, kOneThread);
  expect_fault(busy_liquid_scene(2, Precision::kSingle), kOneThread);
  expect_fault(lump_of_wax(), kOneThread);
}
TEST(GpuForceFields, WithoutAValueEndTheRunByName) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_fault(two_balls({2, Precision::kSingle, true}), kOnCuda);
}

Scene blown(const LibraryCase& c) {
  Scene scene = two_balls(c);
  scene.time.dt_max = 1e-3;
  ForceField vortex = wind(20, field("-8*y", "8*x", "sin(5*t)"));
  vortex.shape = sphere({0, 0, 0}, 0.6);
  scene.forces = {vortex, pull(field("-40*x", "3", "-40*z"))};
  return scene;
}

// After every step the state is saved and loaded, every second time by another simulation.
TEST(ForceFields, GoOnBitForBitFromBetweenSteps) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kOptimization}) {
    Scene scene = blown({2, Precision::kSingle, true});
    scene.simulation.integrator = integrator;
    Simulation whole(scene, kOneThread), halted(scene, kOneThread);
    constexpr double kEnd = 1.0 / 24;
    whole.advance_frame();
    std::int64_t made = 0;
    const Observer one_step{
        {}, [&](const StepInfo& step) { return (made = step.step, false); }, {}};
    while (!halted.advance_until(kEnd, one_step)) {
      const auto saved = halted.save_state();
      if (made % 2 == 0) halted = Simulation(scene, kOneThread);
      halted.load_state(saved);
    }
    EXPECT_GT(made, 1);
    EXPECT_TRUE(whole.field<float>("position") == halted.field<float>("position"));
    EXPECT_TRUE(whole.field<float>("velocity") == halted.field<float>("velocity"));
  }
}

// Fused steps of a device with forces neither wait for the host nor differ from others.
TEST(GpuForceFields, AreReplayed) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Scene scene = blown({2, Precision::kSingle, true});
  Simulation simulation(scene, kOnCuda);
  simulation.advance_steps(40);
  EXPECT_GT(simulation.stats().enqueued.replayed, 30);
}

void expect_agreement(const LibraryCase& c, const RunOptions& options, int steps) {
  SCOPED_TRACE(c.name());
  const Scene scene = blown(c);
  Scene slow = scene;
  slow.simulation.fused = false;
  Simulation one(scene, options), other(slow, kOneThread);
  for (Simulation* s : {&one, &other}) s->advance_steps(steps);
  const auto v = one.field<double>("velocity"), w = other.field<double>("velocity");
  ASSERT_EQ(v.size(), w.size());
  const double rounding = c.precision == Precision::kDouble ? 1e-9 : 2e-3;
  double fastest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    ASSERT_NEAR(v[i], w[i], rounding);
    fastest = std::max(fastest, std::abs(v[i]));
  }
  EXPECT_GT(fastest, 0.5);
  const double work = other.totals().kinetic;
  EXPECT_NEAR(one.totals().kinetic, work, 1e-3 * work);
}
TEST(ForceFields, KickFusedStepsAsPlainOnes) {
  for (const LibraryCase& c : library_cases())
    if (c.fused) expect_agreement(c, kOneThread, 60);
}
TEST(GpuForceFields, AreThoseOfTheHost) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_agreement({2, Precision::kSingle, true}, kOnCuda, 30);
  expect_agreement({2, Precision::kDouble, false}, kOnCuda, 30);
  expect_agreement({3, Precision::kSingle, true}, kOnCuda, 20);
  expect_agreement({3, Precision::kDouble, true}, kOnCuda, 20);
}

}  // namespace
}  // namespace firn::test

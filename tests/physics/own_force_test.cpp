// A force of the user's: the momentum that it gives is mass times acceleration times time, whatever
// the material does inside; it is told the truth about the particles; and it acts as gravity does.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "kernels/exec/backend.h"
#include "tests/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/forces.h"
#include "tests/support/library_scenes.h"

namespace firn::test {
namespace {

constexpr RunOptions kOneThread{Device::kCpu, 1}, kOnCuda{Device::kCuda};

double epsilon_of(const Scene& scene) {
  return scene.simulation.precision == Precision::kSingle ? std::numeric_limits<float>::epsilon()
                                                          : std::numeric_limits<double>::epsilon();
}

// Pulls every particle its own way: neighbours push each other, and their momenta stay in the sum.
Vec3 pull(std::uint32_t id, double) { return {1 + 0.5 * (id % 3), -2.0 + id % 2, 0.5}; }

void expect_impulse(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options);
  constexpr int kSteps = 20;
  simulation.set_force(force_of(pull));
  simulation.advance_steps(kSteps);
  const auto ids = simulation.field<std::uint32_t>("id");
  const auto mass = simulation.field<double>("mass");
  const auto x = simulation.field<double>("position");
  const double t = simulation.time();
  const Totals totals = simulation.totals();
  for (std::size_t a = 0; a < static_cast<std::size_t>(scene.simulation.dimension); ++a) {
    double impulse = 0, scale = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      impulse += mass[i] * pull(ids[i], 0)[a] * t;
      scale += mass[i] * 3 * t;
    }
    // Each step rounds what each of 3^d nodes gets from each particle.
    const double roundings = kSteps * std::pow(3, scene.simulation.dimension) * epsilon_of(scene);
    EXPECT_NEAR(totals.momentum[a], impulse, roundings * scale) << "axis " << a;
    EXPECT_GT(std::abs(impulse), 100 * roundings * scale);
  }
}

TEST(OwnForce, GivesMassTimesAccelerationTimesTime) {
  for (const LibraryCase& c : library_cases()) {
    SCOPED_TRACE(c.name());
    expect_impulse(two_balls(c), kOneThread);
  }
}

// Of the step that it is asked for, which is not made.
TEST(OwnForce, ThatIsNoNumberIsOfItsStep) {
  for (const auto integrator : {Integrator::kExplicit, Integrator::kOptimization}) {
    SCOPED_TRACE(static_cast<int>(integrator));
    Scene scene = two_balls({});
    scene.simulation.integrator = integrator;
    Simulation simulation(scene, kOneThread);
    bool is_bad = false;
    simulation.set_force(force_of([&](std::uint32_t, double) {
      return Vec3{is_bad ? std::numeric_limits<double>::quiet_NaN() : 0, 0, 0};
    }));
    simulation.advance_steps(3);
    const double begin = simulation.time();
    is_bad = true;
    try {
      simulation.advance_steps(1);
      ADD_FAILURE() << "no error was thrown";
    } catch (const Error& error) {
      ASSERT_NE(error.divergence(), nullptr);
      EXPECT_EQ(error.divergence()->step, 4);
      EXPECT_EQ(error.divergence()->time, begin);
      EXPECT_NE(std::string(error.what()).find("forces"), std::string::npos) << error.what();
    }
  }
}

// It is named before a solve could be blamed for it.
TEST(OwnForce, ThatIsNoNumberIsNamed) {
  for (const auto integrator :
       {Integrator::kExplicit, Integrator::kOptimization, Integrator::kSemiImplicit}) {
    Scene scene = two_balls({});
    scene.simulation.integrator = integrator;
    Simulation simulation(scene, kOneThread);
    simulation.set_force(force_of([](std::uint32_t id, double) {
      return Vec3{id == 7 ? std::numeric_limits<double>::quiet_NaN() : 0, 0, 0};
    }));
    expect_error(ErrorCategory::kDiverged, {"velocity", "particle 7"},
                 [&] { simulation.advance_frame(); });
  }
  Simulation liquid(busy_liquid_scene(2, Precision::kSingle), kOneThread);
  liquid.set_force(force_of([](std::uint32_t, double) {
    return Vec3{0, std::numeric_limits<double>::infinity(), 0};
  }));
  expect_error(ErrorCategory::kDiverged, {"velocity"}, [&] { liquid.advance_frame(); });
}

// The same acceleration for all is gravity, for liquids as well.
TEST(OwnForce, ThatIsUniformIsGravity) {
  for (const LibraryCase& c : library_cases()) {
    if (c.precision == Precision::kSingle) continue;
    SCOPED_TRACE(c.name());
    Scene falling = two_balls(c), pulled = falling;
    falling.simulation.gravity = {0, -3, 0};
    Simulation one = simulate(falling), other = simulate(pulled);
    other.set_force(force_of([](std::uint32_t, double) { return Vec3{0, -3, 0}; }));
    for (Simulation* s : {&one, &other}) s->advance_steps(30);
    const auto x = one.field<double>("position"), y = other.field<double>("position");
    ASSERT_EQ(x.size(), y.size());
    // A kick goes through the transfer and gravity does not: 30 steps of rounding of places of 1 m.
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(x[i], y[i], 30 * 27 * std::numeric_limits<double>::epsilon());
    EXPECT_EQ(one.time(), other.time());
  }
}

// What the arrays say is what the simulation says, step by step.
template <class Real>
void expect_truth(const LibraryCase& c, const RunOptions& options, Memory memory) {
  Simulation simulation(two_balls(c), options);
  simulation.advance_steps(2);
  std::int64_t asked = 0;
  double last = simulation.time();
  const auto before = simulation.field<double>("position"), mass = simulation.field<double>("mass"),
             v = simulation.field<double>("velocity");
  simulation.set_force(
      [&](const ForceStep& step) {
        EXPECT_EQ(step.time, last);
        EXPECT_GT(step.dt, 0);
        last = step.time + step.dt;
        EXPECT_EQ(step.dimension, c.dimension);
        std::set<std::uint32_t> ids;
        const auto d = static_cast<std::size_t>(c.dimension);
        for (std::int64_t chunk = 0; chunk < step.position.chunks; ++chunk) {
          EXPECT_EQ(step.position.count(chunk), step.mass.count(chunk));
          for (int lane = 0; lane < step.position.count(chunk); ++lane) {
            const auto id = step.id.row<std::uint32_t>(chunk)[lane];
            ids.insert(id);
            EXPECT_EQ(step.mass.row<Real>(chunk)[lane], mass[id]);
            for (std::size_t a = 0; a < d; ++a) {
              const int k = static_cast<int>(a);
              EXPECT_EQ(step.acceleration.row<Real>(chunk, k)[lane], 0);
              if (asked > 0) continue;
              EXPECT_EQ(step.position.row<Real>(chunk, k)[lane], before[id * d + a]);
              EXPECT_EQ(step.velocity.row<Real>(chunk, k)[lane], v[id * d + a]);
            }
          }
        }
        EXPECT_EQ(static_cast<std::int64_t>(ids.size()), step.position.size);
        EXPECT_EQ(step.position.size, simulation.stats().particles);
        ++asked;
      },
      memory);
  simulation.advance_steps(4);
  EXPECT_EQ(asked, 4);
  EXPECT_NEAR(last, simulation.time(), 1e-15);
}

TEST(OwnForce, IsToldTheTruth) {
  for (const LibraryCase& c : library_cases())
    for (const Memory memory : {Memory::kHost, Memory::kNative}) {
      SCOPED_TRACE(c.name());
      if (c.precision == Precision::kSingle)
        expect_truth<float>(c, kOneThread, memory);
      else
        expect_truth<double>(c, kOneThread, memory);
    }
}

// A step that is rejected has given its kick for nothing.
TEST(OwnForce, IsGivenOnceHoweverOftenAStepIsTried) {
  const Scene scene = hardly_solved_square();
  Simulation simulation = simulate(scene);
  int asked = 0;
  simulation.set_force([&](const ForceStep& step) {
    ++asked;
    for (std::int64_t chunk = 0; chunk < step.position.chunks; ++chunk)
      for (int i = 0; i < step.position.count(chunk); ++i)
        step.acceleration.row<double>(chunk, 0)[i] = 1;
  });
  simulation.advance_until(0.25);
  EXPECT_GT(asked, simulation.stats().total_steps) << "no step was rejected";
  const Totals t = simulation.totals();
  EXPECT_NEAR(t.momentum[0] / t.mass, 0.25, 1e-6);
}

// And of a liquid, where gravity is the faces' and comes before the projection too.
TEST(OwnForce, ThatIsUniformIsGravityForLiquids) {
  Scene falling = busy_liquid_scene(2, Precision::kDouble);
  falling.simulation.gravity = {2, -5, 0};
  falling.time.dt_max = 1e-3;  // below what gravity sets
  Scene pulled = falling;
  pulled.simulation.gravity = {0, 0, 0};
  Simulation one = simulate(falling), other = simulate(pulled);
  other.set_force(force_of([](std::uint32_t, double) { return Vec3{2, -5, 0}; }));
  constexpr int kSteps = 10;
  for (Simulation* s : {&one, &other}) s->advance_steps(kSteps);
  EXPECT_EQ(one.time(), other.time());
  const auto x = one.field<double>("position"), y = other.field<double>("position");
  ASSERT_EQ(x.size(), y.size());
  // Each step's velocities are as exact as the tolerance of its solve.
  const double slack = falling.fluid.tolerance * one.stats().max_speed * one.time() * kSteps;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], slack);
}

TEST(GpuOwnForce, GivesMassTimesAccelerationTimesTime) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_impulse(two_balls({2, Precision::kSingle, true}), kOnCuda);
  expect_impulse(two_balls({3, Precision::kDouble, false}), kOnCuda);
}
TEST(GpuOwnForce, IsToldTheTruthByCopies) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_truth<float>({2, Precision::kSingle, true}, kOnCuda, Memory::kHost);
  expect_truth<double>({3, Precision::kDouble, false}, kOnCuda, Memory::kHost);
}

#if defined(FIRN_WITH_CUDA)
// Accelerations that are made on the device, on the simulation's stream: a = v, so that all
// velocities of rigid flight grow by the factor 1 + dt.
TEST(GpuOwnForce, CanStayOnTheDevice) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Scene scene = two_balls({2, Precision::kDouble, true});
  scene.bodies[0].velocity.component[0].constant = scene.bodies[1].velocity.component[0].constant =
      1;
  Simulation simulation(scene, kOnCuda);
  simulation.advance_steps(1);
  double factor = 1;
  simulation.set_force(
      [&](const ForceStep& step) {
        ASSERT_GE(step.velocity.device, 0);
        ASSERT_EQ(step.velocity.chunk_stride, step.acceleration.chunk_stride);
        Cuda exec;
        void* own = exec.use_stream(step.velocity.stream);
        exec.copy(step.acceleration.data, step.velocity.data,
                  static_cast<std::size_t>(step.velocity.chunks * step.velocity.chunk_stride) *
                      sizeof(double));
        exec.use_stream(own);
        factor *= 1 + step.dt;
      },
      Memory::kNative);
  simulation.advance_steps(10);
  for (const double v : {simulation.field<double>("velocity")[0]})
    EXPECT_NEAR(v, factor, 10 * 9 * std::numeric_limits<double>::epsilon());
  EXPECT_GT(factor, 1 + 9e-4);
}
#endif

}  // namespace
}  // namespace firn::test

// A boundary condition of the user's on the grid does what the same one of the scene does, bit for
// bit: in 2D and 3D, single and double, fused and plain; and to rounding where transfers carry
// increments, which come in two parts then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/exec/backend.h"
#include "tests/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/library_scenes.h"

namespace firn::test {
namespace {

constexpr RunOptions kOneThread{Device::kCpu, 1}, kOnCuda{Device::kCuda};

// Two balls that fly to the ground.
Scene falling(const LibraryCase& c, TransferType type) {
  Scene scene = two_balls(c);
  scene.transfer.type = type;
  scene.time.dt_max = 1e-3;
  scene.simulation.gravity = {0, -10, 0};
  for (Body& ball : scene.bodies) {
    ball.shape.center[1] += 0.3;
    ball.velocity.component[0].constant = 1;
    ball.velocity.component[1].constant = -3;
  }
  return scene;
}

template <class Real>
void stick(const BoundaryStep& step) {
  for (std::int64_t block = 0; block < step.velocity.chunks; ++block) {
    const Real* y = step.position.row<Real>(block, 1);
    for (int node = 0; node < step.velocity.count(block); ++node)
      for (int a = 0; a < step.dimension && y[node] <= 0; ++a)
        step.velocity.row<Real>(block, a)[node] = 0;
  }
}
void stick_to_the_ground(const BoundaryStep& step) {
  step.velocity.type == ElementType::kFloat ? stick<float>(step) : stick<double>(step);
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double slack) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  EXPECT_LE(largest, slack);
}
// `slack`: of velocities, m/s; positions follow within the second that nothing here takes.
void expect_same_as_collider(const Scene& own, const RunOptions& options, int steps,
                             double slack = 0) {
  Scene built_in = own;
  // Nodes that lie in another collider as well depend on no others: they are held as they are.
  built_in.colliders = {collider("ground", ground(), BoundaryType::kSticky),
                        collider("below", ground(), BoundaryType::kSeparate)};
  Simulation reference(built_in, options), simulation(own, options);
  simulation.set_grid_boundary(stick_to_the_ground);
  reference.advance_steps(steps);
  simulation.advance_steps(steps);
  EXPECT_EQ(simulation.time(), reference.time());
  expect_near(simulation.field<double>("position"), reference.field<double>("position"), slack);
  expect_near(simulation.field<double>("velocity"), reference.field<double>("velocity"), slack);
  // The same sum over steps and nodes, which compilers may contract to other roundings in the two
  // places: each of some thousand terms by one.
  const double work = reference.stats().stages.boundary;
  EXPECT_NEAR(simulation.stats().stages.boundary, work,
              1e3 * std::numeric_limits<double>::epsilon() * std::abs(work));

  Simulation through(own, options);
  through.advance_steps(steps);
  EXPECT_NE(through.field<double>("position"), reference.field<double>("position"));
}
// What each step may add to a particle: one rounding of its velocity at each of 3^d nodes. Hitting
// the ground is no instability, which would make more of it.
double rounding_of_increments(const Scene& scene, int steps) {
  const double epsilon = scene.simulation.precision == Precision::kSingle
                             ? std::numeric_limits<float>::epsilon()
                             : std::numeric_limits<double>::epsilon();
  constexpr double kFastest = 6;  // m/s
  return steps * std::pow(3, scene.simulation.dimension) * epsilon * kFastest;
}

TEST(OwnBoundary, IsThatOfACollider) {
  for (const LibraryCase& c : library_cases()) {
    SCOPED_TRACE(c.name());
    expect_same_as_collider(falling(c, TransferType::kApic), kOneThread, 120);
  }
}
TEST(OwnBoundary, IsThatOfAColliderForIncrements) {
  constexpr int kSteps = 100;
  for (const LibraryCase& c : library_cases()) {
    SCOPED_TRACE(c.name());
    const Scene scene = falling(c, TransferType::kFlip);
    expect_same_as_collider(scene, kOneThread, kSteps, rounding_of_increments(scene, kSteps));
  }
}
// The ledger of stages counts it as the boundary's.
TEST(OwnBoundary, IsInTheLedger) {
  Scene scene = falling({2, Precision::kDouble, false}, TransferType::kApic);
  scene.output.diagnostics = DiagnosticsLevel::kStages;
  expect_same_as_collider(scene, kOneThread, 120);
  Simulation simulation = simulate(scene);
  simulation.set_grid_boundary(stick_to_the_ground);
  simulation.advance_steps(120);
  EXPECT_LT(simulation.stats().stages.boundary, 0);
}

TEST(OwnBoundary, SeesTheMassOfTheParticles) {
  for (const LibraryCase& c : library_cases()) {
    if (c.precision == Precision::kSingle) continue;
    SCOPED_TRACE(c.name());
    Simulation simulation = simulate(falling(c, TransferType::kApic));
    const Totals totals = simulation.totals();
    int asked = 0;
    simulation.set_grid_boundary([&](const BoundaryStep& step) {
      EXPECT_EQ(step.time == 0, asked == 0);
      ++asked;
      double mass = 0, moment = 0, last_x = 0;
      for (std::int64_t b = 0; b < step.mass.chunks; ++b)
        for (int i = 0; i < step.mass.count(b); ++i) {
          const double m = step.mass.at<double>(b, 0, i);
          mass += m;
          moment += m * step.position.at<double>(b, 0, i);
          if (m == 0) {
            EXPECT_EQ(step.velocity.at<double>(b, 0, i), 0);
          }
          last_x = step.position.at<double>(b, 0, i);
        }
      const double roundings =
          static_cast<double>(step.mass.size) * std::numeric_limits<double>::epsilon();
      EXPECT_NEAR(mass, totals.mass, roundings * totals.mass);
      if (asked == 1) {
        EXPECT_NEAR(moment / mass, totals.center_of_mass[0], roundings);
      }
      EXPECT_NEAR(last_x / 0.1, std::round(last_x / 0.1), 1e-9);  // a node
    });
    simulation.advance_steps(3);
    EXPECT_EQ(asked, 3);
    simulation.set_grid_boundary({});
    simulation.advance_steps(1);
    EXPECT_EQ(asked, 3);
  }
}

TEST(OwnBoundary, IsForExplicitScenes) {
  Simulation pool = simulate(busy_liquid_scene(2, Precision::kSingle));
  expect_error(ErrorCategory::kScene, {"set_grid_boundary", "explicit", "faces"},
               [&] { pool.set_grid_boundary(stick_to_the_ground); });
  pool.set_grid_boundary({});  // none is none
  for (const Integrator integrator : {Integrator::kOptimization, Integrator::kSemiImplicit}) {
    Scene scene = falling({2, Precision::kSingle, true}, TransferType::kApic);
    scene.simulation.integrator = integrator;
    Simulation simulation = simulate(scene);
    expect_error(ErrorCategory::kScene, {"set_grid_boundary", "explicit", "nodes", "solve"},
                 [&] { simulation.set_grid_boundary(stick_to_the_ground); });
  }
}

TEST(GpuOwnBoundary, IsThatOfACollider) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_same_as_collider(falling({2, Precision::kSingle, true}, TransferType::kApic), kOnCuda, 50);
  const Scene scene = falling({3, Precision::kDouble, false}, TransferType::kFlip);
  expect_same_as_collider(scene, kOnCuda, 50, rounding_of_increments(scene, 50));
}

#if defined(FIRN_WITH_CUDA)
// The velocities of all nodes cleared on the device, on the simulation's stream.
TEST(GpuOwnBoundary, CanStayOnTheDevice) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Simulation simulation(falling({2, Precision::kSingle, true}, TransferType::kApic), kOnCuda);
  simulation.advance_steps(3);
  const auto before = simulation.field<float>("position");
  simulation.set_grid_boundary(
      [](const BoundaryStep& step) {
        ASSERT_GE(step.velocity.device, 0);
        Cuda exec;
        void* own = exec.use_stream(step.velocity.stream);
        exec.zero(step.velocity.data,
                  static_cast<std::size_t>(step.velocity.chunks * step.velocity.chunk_stride) *
                      sizeof(float));
        exec.use_stream(own);
      },
      Memory::kNative);
  simulation.advance_steps(3);
  EXPECT_EQ(simulation.field<float>("position"), before);
  for (const float v : simulation.field<float>("velocity")) EXPECT_EQ(v, 0);
}
#endif

}  // namespace
}  // namespace firn::test

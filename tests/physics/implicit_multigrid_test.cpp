// Coarse grids under the linear solves of implicit steps: as many iterations on fine grids as on
// coarse ones, and the same steps as without, whatever touches the material.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

using Kind = ImplicitPreconditioner;

// A stiff beam, clamped at one end, through which a wave runs a dozen times within the step.
Scene beam(int dimension, double dx, Kind preconditioner) {
  Scene scene = empty_scene(dimension, dx, Precision::kDouble);
  scene.simulation.integrator = Integrator::kSemiImplicit;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = 1.0 / 24;
  scene.time.cfl = 1;
  scene.implicit.preconditioner = preconditioner;
  scene.implicit.max_linear_iterations = 5000;
  scene.materials = {elastic("rubber", MaterialModel::kFixedCorotated, 1e8, 1000)};
  scene.bodies = {body("beam", 0, box({0, 0, 0}, {1, 0.25, 0.25}))};
  scene.colliders = {collider("wall", half_space({0.02, 0, 0}, {1, 0, 0}), BoundaryType::kSticky)};
  return scene;
}

std::int64_t iterations(int dimension, double dx, Kind preconditioner) {
  Simulation simulation = simulate(beam(dimension, dx, preconditioner));
  simulation.advance_steps(1);
  EXPECT_EQ(simulation.stats().implicit.rejected, 0);
  return simulation.stats().implicit.linear_iterations;
}

TEST(ImplicitMultigrid, IterationsDoNotGrowWithTheGrid) {
  for (int dimension : {2, 3}) {
    const double dx = dimension == 2 ? 1.0 / 64 : 1.0 / 16;
    const auto coarse = iterations(dimension, dx, Kind::kMultigrid),
               fine = iterations(dimension, dx / 2, Kind::kMultigrid);
    EXPECT_LE(static_cast<double>(fine), 1.3 * static_cast<double>(coarse)) << dimension;
    const auto coarse_blocks = iterations(dimension, dx, Kind::kBlocks),
               fine_blocks = iterations(dimension, dx / 2, Kind::kBlocks);
    EXPECT_GE(static_cast<double>(fine_blocks), 1.3 * static_cast<double>(coarse_blocks));
    EXPECT_LE(2 * fine, fine_blocks) << dimension;
  }
}

// After steps that are solved well, among all that holds nodes; or on a ring of blocks that cannot
// be halved to the end.
enum class Place { kContacts, kRing };
using Case = std::tuple<Place, int, int, Integrator>;  // dimension, degree
class ImplicitMultigridSteps : public testing::TestWithParam<Case> {};

Scene stiff_scene(const Case& c) {
  const auto& [place, dimension, degree, integrator] = c;
  Scene scene = busy_scene(dimension, Precision::kDouble);
  scene.simulation.integrator = integrator;
  scene.transfer.kernel = degree;
  scene.transfer.force = degree == 1 ? ForceForm::kGradient : ForceForm::kMls;
  scene.time.dt_max = 2e-3;
  scene.implicit.tolerance = 1e-7;
  scene.implicit.max_linear_iterations = 5000;
  scene.materials[0].youngs_modulus = 1e6;
  scene.materials[0].viscosity = 5;
  scene.sources.clear();
  scene.sinks.clear();
  for (Body& b : scene.bodies) b.particles_per_cell = 1 << dimension;
  if (place == Place::kContacts) return scene;
  scene.colliders.clear();
  // What friction leaves open within its passes depends on the last digits of the solves.
  scene.grid.domain->friction.fill(0);
  scene.grid.domain->max[0] = 48 * scene.grid.dx;
  scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
  scene.bodies = {body("slab", 0, box({0, 0, 0.1}, {2.4, 0.3, 0.4})),
                  body("ball", 0, sphere({2.35, 0.4, dimension == 3 ? 0.3 : 0}, 0.15), {1, -2, 0})};
  return scene;
}

TEST_P(ImplicitMultigridSteps, AreThoseOfBlocks) {
  Scene scene = stiff_scene(GetParam());
  const auto after = [&](Kind preconditioner) {
    scene.implicit.preconditioner = preconditioner;
    Simulation simulation = simulate(scene);
    simulation.advance_steps(2);
    EXPECT_EQ(simulation.stats().implicit.rejected, 0);
    EXPECT_GT(simulation.stats().implicit.linear_iterations, 0);
    return simulation.snapshot();
  };
  const Snapshot blocks = after(Kind::kBlocks);
  for (Kind kind : {Kind::kDiagonal, Kind::kMultigrid}) {
    const Snapshot other = after(kind);
    ASSERT_EQ(other.size(), blocks.size());
    for (std::size_t i = 0; i < blocks.velocity.size(); ++i)
      ASSERT_NEAR(other.velocity[i], blocks.velocity[i], 1e-4) << i;
  }
}

// A block that lands on a slippery floor and slides: contacts open and close, and nodes that they
// have held are free in the next solve, or the other way round.
Scene landing(double friction, Kind preconditioner) {
  Scene scene = empty_scene(2, 0.05, Precision::kDouble);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = 1 / scene.simulation.fps;
  scene.implicit.preconditioner = preconditioner;
  scene.materials = {elastic("jelly", MaterialModel::kNeoHookean, 1e5, 1000)};
  scene.bodies = {body("block", 0, box({0, 0.05, 0}, {0.8, 0.45, 0}), {1, -1, 0})};
  scene.colliders = {collider("floor", half_space({0, 0, 0}, {0, 1, 0}), BoundaryType::kSeparate)};
  scene.colliders[0].friction = friction;
  return scene;
}
void advance_frames(Simulation& simulation, int frames) {
  for (int frame = 0; frame < frames; ++frame) simulation.advance_frame();
}

TEST(ImplicitMultigrid, SolvesWhereContactsChange) {
  std::int64_t iterations[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    Simulation simulation = simulate(landing(0, k == 0 ? Kind::kBlocks : Kind::kMultigrid));
    for (int frame = 0; frame < 8; ++frame) {
      simulation.advance_frame();
      EXPECT_EQ(simulation.stats().implicit.rejected, 0) << k << " " << frame;
      iterations[k] += simulation.stats().implicit.linear_iterations;
    }
  }
  EXPECT_LT(iterations[1], iterations[0]);
}

TEST(ImplicitMultigrid, ForgetsWhatItHasSolved) {
  Simulation whole = simulate(landing(0.3, Kind::kMultigrid));
  advance_frames(whole, 3);
  Simulation resumed = simulate(landing(0.3, Kind::kMultigrid));
  resumed.load_state(whole.save_state());
  advance_frames(whole, 3);
  advance_frames(resumed, 3);
  EXPECT_EQ(resumed.snapshot().position, whole.snapshot().position);
  EXPECT_EQ(resumed.snapshot().velocity, whole.snapshot().velocity);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [place, dimension, degree, integrator] = info.param;
  return std::string(place == Place::kRing ? "ring" : "contacts") + "_" +
         std::to_string(dimension) + "d_kernel" + std::to_string(degree) +
         (integrator == Integrator::kOptimization ? "_optimization" : "_semi_implicit");
}
constexpr auto kBoth = [] {
  return testing::Values(Integrator::kOptimization, Integrator::kSemiImplicit);
};
INSTANTIATE_TEST_SUITE_P(Plane, ImplicitMultigridSteps,
                         testing::Combine(testing::Values(Place::kContacts, Place::kRing),
                                          testing::Values(2), testing::Values(1, 2, 3), kBoth()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Space, ImplicitMultigridSteps,
                         testing::Combine(testing::Values(Place::kContacts, Place::kRing),
                                          testing::Values(3), testing::Values(2), kBoth()),
                         name_of);

}  // namespace
}  // namespace firn::test

// implicit.positions = "backward_euler": where particles get to in a known flow, in free flight and
// in front of what stands still, what they keep, and how far that is from moving them forwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/fitted_slope.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

using Case = std::tuple<TransferType, int, int>;  // dimension, kernel
class ImplicitPositions : public testing::TestWithParam<Case> {};

constexpr auto kBackward = ParticlePositions::kBackwardEuler;
constexpr auto kForward = ParticlePositions::kForwardEuler;

// So soft that it flies and turns as if nothing held it together.
Scene dust(const Case& c, double dt) {
  const auto& [transfer, dimension, kernel] = c;
  Scene scene = empty_scene(dimension, 0.1, Precision::kDouble);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.simulation.gravity = {0, 0, 0};
  scene.transfer.type = transfer;
  scene.transfer.kernel = kernel;
  scene.time.dt_max = dt;
  scene.time.cfl = 1;
  scene.implicit.positions = kBackward;
  scene.materials = {elastic("dust", MaterialModel::kFixedCorotated, 1e-6, 1000)};
  scene.bodies = {lattice("ball", sphere({0, 0, 0}, 0.5))};
  return scene;
}

// The nodes before the front have no velocity, and hold nothing back.
TEST_P(ImplicitPositions, FlyFreely) {
  Scene scene = dust(GetParam(), 0.05);
  scene.bodies[0].velocity.component[0].constant = 1.6;
  scene.bodies[0].velocity.component[1].constant = -1;
  Simulation simulation = simulate(scene);
  const std::vector<float> start = simulation.snapshot().position;
  simulation.advance_steps(3);
  const Snapshot now = simulation.snapshot();
  const std::size_t d = now.position.size() / now.size();
  for (std::size_t i = 0; i < now.size(); ++i) {
    ASSERT_NEAR(now.position[d * i], start[d * i] + 0.15 * 1.6, 1e-6);
    ASSERT_NEAR(now.position[d * i + 1], start[d * i + 1] - 0.15, 1e-6);
  }
}

// In a turning flow v = omega x r, which nodes and affine particles have exactly:
// x = (1 - dt omega x)^-1 x_n. Forwards particles would get further out, backwards they get nearer.
class ImplicitPositionsTurning : public ImplicitPositions {};
TEST_P(ImplicitPositionsTurning, SolveForWhereTheyGetTo) {
  constexpr double dt = 0.05, spin = 3;
  Scene scene = dust(GetParam(), dt);
  scene.bodies[0].angular_velocity = {0, 0, spin};
  Simulation simulation = simulate(scene);
  const std::vector<float> start = simulation.snapshot().position;
  simulation.advance_steps(1);
  const Snapshot now = simulation.snapshot();
  const std::size_t d = now.position.size() / now.size();
  int compared = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double x = start[d * i], y = start[d * i + 1], turn = dt * spin;
    if (std::hypot(x, y) > 0.3) continue;
    const double shrinks = 1 / (1 + turn * turn);
    ASSERT_NEAR(now.position[d * i], shrinks * (x - turn * y), 1e-6);
    ASSERT_NEAR(now.position[d * i + 1], shrinks * (y + turn * x), 1e-6);
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [transfer, dimension, kernel] = info.param;
  return std::string(transfer == TransferType::kApic ? "apic" : "flip") + "_" +
         std::to_string(dimension) + "d_kernel" + std::to_string(kernel);
}
INSTANTIATE_TEST_SUITE_P(Transfers, ImplicitPositions,
                         testing::Combine(testing::Values(TransferType::kApic, TransferType::kFlip),
                                          testing::Values(2, 3), testing::Values(2, 3)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Affine, ImplicitPositionsTurning,
                         testing::Combine(testing::Values(TransferType::kApic),
                                          testing::Values(2, 3), testing::Values(2, 3)),
                         name_of);

// A ball that has hit the ground and a spinning one, after a tenth of a second.
Scene jelly(ParticlePositions positions, double dt) {
  Scene scene = empty_scene(2, 0.05, Precision::kDouble);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = dt;
  scene.time.cfl = 1;
  scene.implicit.tolerance = 1e-6;
  scene.implicit.positions = positions;
  scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e4, 1000)};
  scene.bodies = {lattice("ball", sphere({0, 0.21, 0}, 0.2), {0, -1, 0}),
                  lattice("top", sphere({1, 0.5, 0}, 0.2), {0.5, 0, 0})};
  scene.bodies[1].angular_velocity = {0, 0, 6};
  scene.colliders = {collider("floor", ground(), BoundaryType::kSticky)};
  return scene;
}

TEST(ImplicitPositionsOrder, AgreeWithForwardsAtFirstOrder) {
  const auto after = [](ParticlePositions positions, double dt) {
    Simulation simulation = simulate(jelly(positions, dt));
    simulation.advance_until(0.1);
    EXPECT_EQ(simulation.stats().implicit.rejected, 0);
    return simulation.snapshot().position;
  };
  const std::vector<double> steps{4e-3, 2e-3, 1e-3};
  std::vector<double> apart;
  for (const double dt : steps) {
    const std::vector<float> forward = after(kForward, dt), backward = after(kBackward, dt);
    double sum = 0;
    for (std::size_t i = 0; i < forward.size(); ++i) sum += std::abs(forward[i] - backward[i]);
    apart.push_back(sum / static_cast<double>(forward.size()));
  }
  EXPECT_NEAR(fitted_slope(steps, apart), 1, 0.2) << apart[0] << " " << apart[2];
  EXPECT_LT(apart[0], 0.1 * 0.05);  // a tenth of a cell
}

// Linear momentum is what it would be; a step takes dt^2 omega^2 of the orbital part of the angular
// momentum of what turns, all of which forwards is kept.
TEST(ImplicitPositionsMomentum, KeepsWhatForwardsDoesOrLosesItAtFirstOrder) {
  const auto lost = [](ParticlePositions positions, double dt, double speed) {
    Scene scene = dust({TransferType::kApic, 2, 2}, dt);
    scene.implicit.positions = positions;
    scene.bodies[0].angular_velocity = {0, 0, 3};
    scene.bodies[0].velocity.component[0].constant = speed;
    Simulation simulation = simulate(scene);
    const Totals start = simulation.totals();
    simulation.advance_steps(1);
    const Totals now = simulation.totals();
    for (std::size_t a = 0; a < 2; ++a)
      EXPECT_NEAR(now.momentum[a], start.momentum[a], 1e-9 * start.mass);
    return 1 - now.angular_momentum[2] / start.angular_momentum[2];
  };
  EXPECT_NEAR(lost(kForward, 0.02, 0), 0, 1e-9);
  EXPECT_NEAR(lost(kForward, 0.02, 1), 0, 1e-9);
  lost(kBackward, 0.02, 1);
  // What particles carry as affine velocity is dx^2 / 2 of their moment of inertia per mass, and
  // the disc has r^2 / 2: 4 %.
  for (const double dt : {0.01, 0.02})
    EXPECT_NEAR(lost(kBackward, dt, 0), 9 * dt * dt, 0.1 * 9 * dt * dt);
}

// Dust that starts to fall two cells in a step onto a floor that holds it, where cfl has seen no
// speed. The field of velocities ends half a cell below. Forwards particles jump across that, and
// the guard puts those back to the same depth; backwards they stop before it, in their order.
TEST(ImplicitPositionsFloor, DoNotRunIntoWhatStandsStill) {
  const auto depths = [](ParticlePositions positions) {
    Scene scene = dust({TransferType::kApic, 2, 2}, 0.05);
    scene.implicit.positions = positions;
    scene.simulation.gravity = {0, -80, 0};
    scene.bodies = {lattice("dust", box({0, 0, 0}, {0.4, 0.4, 0}))};
    scene.colliders = {collider("floor", ground(), BoundaryType::kSticky)};
    Simulation simulation = simulate(scene);
    const std::vector<float> start = simulation.snapshot().position;
    simulation.advance_steps(1);
    const std::vector<float> now = simulation.snapshot().position;
    std::vector<std::pair<double, double>> column;  // where particles of the middle come from, go
    for (std::size_t i = 0; i < now.size(); i += 2)
      if (std::abs(start[i] - 0.225) < 1e-3) column.emplace_back(start[i + 1], now[i + 1]);
    std::sort(column.begin(), column.end());
    return column;
  };
  constexpr double kFieldEnds = -0.05, kRounding = 1e-6;
  const auto forward = depths(kForward), backward = depths(kBackward);
  ASSERT_GE(forward.size(), 5u);
  EXPECT_GE(std::count_if(forward.begin(), forward.end(),
                          [&](const auto& p) { return p.second < kFieldEnds + kRounding; }),
            2);
  for (std::size_t i = 0; i < backward.size(); ++i) {
    EXPECT_GT(backward[i].second, kFieldEnds + kRounding);
    EXPECT_LE(backward[i].second, backward[i].first);
    if (i > 0) {
      EXPECT_GT(backward[i].second, backward[i - 1].second) << i;
    }
  }
}

}  // namespace
}  // namespace firn::test

// Water that bears no more than a limit of tension opens, and closes again.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kSound = 100, kDensity = 1000;

Material water_of(std::optional<double> limit) {
  Material m = elastic("water", MaterialModel::kWeaklyCompressible, 0, kDensity);
  m.gamma = 7;
  m.bulk_modulus = kDensity * kSound * kSound / m.gamma;
  m.tension_limit = limit;
  return m;
}

struct Mean {
  double speed = 0, tension = 0;  // m/s to the right, Pa
};
// Of what lies between two places along x.
Mean mean_between(const Snapshot& s, double from, double to) {
  Mean mean;
  int count = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.position[2 * i] < from || s.position[2 * i] > to) continue;
    mean.speed += s.velocity[2 * i];
    mean.tension += s.kirchhoff_stress[4 * i];
    ++count;
  }
  EXPECT_GT(count, 20);
  return {mean.speed / count, mean.tension / count};
}

// Two halves of a column of water in a smooth tube that part at 1 m/s each, after 3 ms, in which
// sound runs for 0.3 m of their 0.5 m.
Snapshot parted(std::optional<double> limit) {
  Scene scene = empty_scene(2, 0.01);
  scene.simulation.gravity = {};
  scene.simulation.frames = 1;
  scene.simulation.fps = 1 / 3e-3;
  scene.materials = {water_of(limit)};
  scene.grid.domain = closed_box({-1, 0, 0}, {1, 0.08, 0});
  scene.bodies = {lattice("left", box({-0.5, 0, 0}, {0, 0.08, 0}), {-1, 0, 0}),
                  lattice("right", box({0, 0, 0}, {0.5, 0.08, 0}), {1, 0, 0})};
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  return simulation.snapshot();
}

// Tension T behind a wave of rarefaction takes T / (rho c) of the speed. What holds together takes
// all of it; at a limit it opens, and what lies beside the gap goes on with the rest.
TEST(Cavitation, LeavesTheSpeedThatTensionDoesNotTake) {
  const double all = kDensity * kSound;  // rho c v
  const Mean whole = mean_between(parted(std::nullopt), 0.05, 0.2);
  EXPECT_NEAR(whole.speed, 0, 0.03);
  EXPECT_NEAR(whole.tension, all, 0.05 * all);
  for (const double share : {0.4, 0.0}) {
    const Snapshot s = parted(share * all);
    for (const int side : {-1, 1}) {
      const Mean mean = side > 0 ? mean_between(s, 0.05, 0.2) : mean_between(s, -0.2, -0.05);
      EXPECT_NEAR(mean.speed, side * (1 - share), 0.03);
      EXPECT_NEAR(mean.tension, share * all, 0.03 * all);
    }
  }
}

// Thrown up so that it opens all over, water lands, closes, and lies nearly as high as it did; what
// bears any tension does not come apart at all.
struct Landed {
  double depth = 0, highest = 0, opened = 0;  // m; m in the first half second; mean of J - 1
};
Landed after_a_splash(std::optional<double> limit) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {water_of(limit)};
  scene.materials[0].viscosity = 1;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 4, 0});
  Body pool = lattice("pool", box({0, 0, 0}, {1, 0.4, 0}));
  pool.velocity.component[0].expression = "x - 0.5";
  pool.velocity.component[1].expression = "10 * y";
  scene.bodies = {pool};
  Simulation simulation = simulate(scene);
  Landed landed;
  for (int frame = 0; frame < 72; ++frame) {
    simulation.advance_frame();
    if (frame > 12) continue;
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i)
      landed.highest = std::max(landed.highest, double{s.position[2 * i + 1]});
  }
  const Snapshot s = simulation.snapshot();
  for (std::size_t i = 0; i < s.size(); ++i) {
    landed.depth += 2 * s.position[2 * i + 1] / static_cast<double>(s.size());
    landed.opened += s.plastic_state[i] / static_cast<double>(s.size());
  }
  return landed;
}

TEST(Cavitation, ComesApartAndClosesAgain) {
  const Landed opens = after_a_splash(0), holds = after_a_splash(std::nullopt);
  EXPECT_GT(opens.highest, 0.8);  // thrown at 4 m/s: 1.2
  EXPECT_LT(holds.highest, 0.6);
  EXPECT_NEAR(opens.depth, 0.4, 0.04);
  EXPECT_NEAR(holds.depth, 0.4, 0.02);
  EXPECT_LT(opens.opened, 0.06);
}

}  // namespace
}  // namespace firn::test

// Deviatoric forces of the thermal step, explicit and semi-implicit: the two tend to each other,
// energies fall, momenta stay, bodies turn freely; beams, lava and bounces come out alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFewIterations = 50;

Scene deviatoric_scene(ForceIntegration forces, double dx, double dt) {
  Scene scene = thermal_scene(2, dx);
  scene.thermal.heat = false;
  scene.thermal.forces = forces;
  scene.time.dt_max = dt;
  return scene;
}
Material foam(double mu, double lambda) {
  Material m = solid("foam", mu, lambda);
  m.density = 600;
  return m;
}

// --- a block in free flight ---

// It turns and is stretched, and flies with 1 m/s.
Scene flying_block(ForceIntegration forces, double dt, double mu, double lambda) {
  Scene scene = deviatoric_scene(forces, 0.03, dt);
  scene.simulation.fps = 20;
  scene.materials = {foam(mu, lambda)};
  scene.bodies = {body("block", 0, box({-0.25, -0.25, 0}, {0.25, 0.25, 0}))};
  scene.bodies[0].velocity.component = {ScalarField{0, "1 + 2 * x - 3 * y"},
                                        ScalarField{0, "3 * x - 2 * y"}, ScalarField{}};
  return scene;
}

double rms_distance(const Snapshot& a, const Snapshot& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.position.size(); ++i)
    sum += std::pow(static_cast<double>(a.position[i]) - static_cast<double>(b.position[i]), 2);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

// Both are of first order in time, with errors of opposite sign: what is between them after 0.05 s
// is of first order too.
TEST(Deviatoric, SemiImplicitForcesTendToExplicitOnes) {
  std::vector<double> distances;
  for (double dt : {2e-4, 1e-4, 5e-5}) {
    Simulation implicit = simulate(flying_block(ForceIntegration::kSemiImplicit, dt, 2e5, 1e6)),
               with_explicit = simulate(flying_block(ForceIntegration::kExplicit, dt, 2e5, 1e6));
    implicit.advance_frame();
    with_explicit.advance_frame();
    distances.push_back(rms_distance(implicit.snapshot(), with_explicit.snapshot()));
  }
  EXPECT_GE(std::log2(distances[0] / distances[2]) / 2, 0.9)
      << distances[0] << ' ' << distances[1] << ' ' << distances[2];
  EXPECT_LE(distances[2], 1e-4);
}

// The step that waves allow explicit forces (cfl_material = 0.5).
double wave_step(double mu, double lambda) {
  Simulation limited = simulate(flying_block(ForceIntegration::kExplicit, 1, mu, lambda));
  limited.advance_steps(1);
  EXPECT_EQ(limited.stats().limited_by, DtLimit::kWaveSpeed);
  return limited.stats().dt_max;
}

// What the block has of energy falls from each five steps to the next, and in flight nothing but
// rounding changes its momentum, to whatever tolerance the forces are solved: 30 steps, with sums
// of some thousand particles.
TEST(Deviatoric, LongStepsOnlyLoseEnergyAndKeepMomentum) {
  constexpr double kStiff = 2e6;
  for (double lambda : {1e3, 1e6, kInfinity})
    for (double factor : {3.0, 10.0, 30.0}) {
      SCOPED_TRACE(testing::Message() << "lambda " << lambda << ", factor " << factor);
      const double dt = factor * wave_step(kStiff, lambda);
      Scene scene = flying_block(ForceIntegration::kSemiImplicit, dt, kStiff, lambda);
      scene.simulation.fps = 1 / (5 * dt);
      scene.time.cfl = 0.9;  // 0.65 of a cell at 30
      Simulation simulation = simulate(scene);
      const Totals start = simulation.stats().totals;
      double before = start.kinetic + start.elastic;
      for (int frame = 0; frame < 6; ++frame) {
        simulation.advance_frame();
        const FrameStats s = simulation.stats();
        EXPECT_NEAR(s.dt_max, dt, 0.01 * dt);
        const double now = s.totals.kinetic + s.totals.elastic;
        ASSERT_LE(now, before) << "frame " << frame;
        before = now;
      }
      const Totals end = simulation.stats().totals;
      EXPECT_GE(before, 0.8 * start.kinetic) << "it flies on";
      for (std::size_t a = 0; a < 2; ++a)
        EXPECT_NEAR(end.momentum[a], start.momentum[a],
                    30 * 1000 * std::numeric_limits<double>::epsilon() * start.momentum[0]);
    }
}

// A free block turns on, whatever its stiffness: what strain is taken from continues along straight
// lines beyond its surface. As the mean of the faces within, it was a spring that turned blocks of
// ten cells back. What the transfers themselves lose at the surface falls with the cells' size.
double share_of_spin(ForceIntegration forces, double dx, double mu) {
  Scene scene = deviatoric_scene(forces, dx, 5e-4);
  scene.simulation.fps = 1 / 0.3;
  scene.materials = {foam(mu, 1e6)};
  scene.bodies = {body("block", 0, box({-0.25, -0.25, 0}, {0.25, 0.25, 0}))};
  scene.bodies[0].velocity.component = {ScalarField{0, "-3 * y"}, ScalarField{0, "3 * x"},
                                        ScalarField{}};
  Simulation simulation = simulate(scene);
  const Totals start = simulation.stats().totals;
  simulation.advance_frame();  // it has turned by 50 degrees
  const Totals end = simulation.stats().totals;
  EXPECT_LE(end.elastic, 0.01 * start.kinetic);
  return end.angular_momentum[2] / start.angular_momentum[2];
}

TEST(Deviatoric, ATurningBlockTurnsOn) {
  for (ForceIntegration forces : {ForceIntegration::kExplicit, ForceIntegration::kSemiImplicit}) {
    const double coarse = 1 - share_of_spin(forces, 0.05, 2e5),
                 fine = 1 - share_of_spin(forces, 0.025, 2e5),
                 soft = 1 - share_of_spin(forces, 0.025, 2e4);
    EXPECT_LE(fine, 0.05);
    EXPECT_GE(std::log2(coarse / fine), 1);
    EXPECT_NEAR(fine, soft, 0.1 * fine);
  }
}

// --- a beam ---

// How far the tip of a cantilever of mu = 1e7 has sunk, frame by frame.
std::vector<double> sag(ForceIntegration forces, double dt, int frames = 5,
                        std::int64_t iterations = kFewIterations) {
  Scene scene = deviatoric_scene(forces, 0.05, dt);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 20;
  scene.materials = {solid("beam", 1e7, 2e7)};
  scene.bodies = {body("beam", 0, box({0, 0, 0}, {2, 0.3, 0}))};
  scene.colliders = {collider("clamp", box({-1, -1, 0}, {0.3, 1.5, 0}), BoundaryType::kSticky)};
  Simulation simulation = simulate(scene);
  std::vector<double> tip;
  for (int frame = 0; frame < frames; ++frame) {
    simulation.advance_frame();
    EXPECT_LE(simulation.stats().thermal.forces.max_iterations, iterations);
    const Snapshot s = simulation.snapshot();
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s.position[2 * i] > 1.95f) sum += static_cast<double>(s.position[2 * i + 1]), count += 1;
    tip.push_back(0.15 - sum / count);
  }
  return tip;
}

// It swings through its lowest point.
TEST(Deviatoric, ABeamSagsAlike) {
  const auto expected = sag(ForceIntegration::kExplicit, 1e-4),
             implicit = sag(ForceIntegration::kSemiImplicit, 1e-3);
  const double lowest = *std::max_element(expected.begin(), expected.end());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(implicit[i], expected[i], 0.03 * lowest) << "frame " << i;
}

// With forty times the explicit step the swing, of eight frames, dies away about the place that is
// half as low as it swings without, and the beam does not creep.
TEST(Deviatoric, ABeamOfLongStepsHangsStill) {
  const auto swing = sag(ForceIntegration::kExplicit, 2e-4),
             damped = sag(ForceIntegration::kSemiImplicit, 1e-2, 20, 150);
  const double rest = *std::max_element(swing.begin(), swing.end()) / 2;
  const auto mean = [&](int from) {
    return std::accumulate(damped.begin() + from, damped.begin() + from + 8, 0.0) / 8;
  };
  EXPECT_NEAR(mean(12), rest, 0.05 * rest);
  EXPECT_NEAR(mean(12), mean(4), 0.02 * rest);
}

// --- lava ---

// Where the front of a collapsing pool stands after 0.5 s.
double front(ForceIntegration forces, double dt, double mu = 0) {
  Scene scene = deviatoric_scene(forces, 0.05, dt);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 2;
  scene.grid.domain = closed_box({0, 0, 0}, {2, 2, 0});
  Material lava = solid("lava", mu, kInfinity);
  lava.density = 2500;
  lava.viscosity = 2000;
  scene.materials = {lava};
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {0.6, 0.8, 0}))};
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  EXPECT_LE(simulation.stats().thermal.forces.max_iterations, kFewIterations);
  double farthest = 0;
  const Snapshot s = simulation.snapshot();
  for (std::size_t i = 0; i < s.size(); ++i)
    farthest = std::max(farthest, static_cast<double>(s.position[2 * i]));
  return farthest;
}

// With the same steps, and with twenty times those that viscosity allows explicit forces (0.39 ms).
// A modulus that does nothing makes a solid of the liquid, of which pressure and stress move the
// mass that is there; as a liquid both move the density of the material. Where stress alone moved
// the mass, the front got a quarter less far.
TEST(Deviatoric, LavaFlowsAlike) {
  const double way = front(ForceIntegration::kExplicit, 2e-4) - 0.6;
  EXPECT_NEAR(front(ForceIntegration::kExplicit, 2e-4, 1e-3) - 0.6, way, 0.06 * way);
  EXPECT_NEAR(front(ForceIntegration::kSemiImplicit, 2e-4, 1e-3) - 0.6, way, 0.06 * way);
  EXPECT_NEAR(front(ForceIntegration::kSemiImplicit, 2e-4) - 0.6, way, 0.01 * way);
  EXPECT_NEAR(front(ForceIntegration::kSemiImplicit, 8e-3) - 0.6, way, 0.1 * way);
}

// --- walls ---

// A block that falls on a floor: the height of its lowest particle and its mean velocities.
struct Bounce {
  double highest = 0, lowest = kInfinity, along = 0;
};
Bounce bounce(ForceIntegration forces, BoundaryType floor) {
  Scene scene = deviatoric_scene(forces, 0.05, 1e-3);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 20;
  scene.grid.domain = closed_box({-2, 0, 0}, {2, 3, 0});
  scene.grid.domain->boundary[2] = floor;
  scene.materials = {foam(2e5, 1e6)};
  scene.bodies = {body("block", 0, box({-0.25, 0.12, 0}, {0.25, 0.62, 0}), {1, -3, 0})};
  Simulation simulation = simulate(scene);
  Bounce b;
  for (int frame = 0; frame < 8; ++frame) {
    simulation.advance_frame();
    EXPECT_LE(simulation.stats().thermal.forces.max_iterations, kFewIterations);
    const Snapshot s = simulation.snapshot();
    double bottom = kInfinity;
    for (std::size_t i = 0; i < s.size(); ++i)
      bottom = std::min(bottom, static_cast<double>(s.position[2 * i + 1]));
    b.highest = std::max(b.highest, bottom);
    b.lowest = std::min(b.lowest, bottom);
  }
  const Totals t = simulation.stats().totals;
  b.along = t.momentum[0] / t.mass;
  return b;
}

// It comes back up by itself from every floor (its rest holds no longer than a bounce), keeps its
// speed along slippery ones and most of it where it sticks for the time of a bounce, and does not
// enter them. Long steps lose some of the height.
TEST(Deviatoric, BlocksBounceOffFloors) {
  for (BoundaryType floor : {BoundaryType::kSticky, BoundaryType::kSlip, BoundaryType::kSeparate})
    for (ForceIntegration forces : {ForceIntegration::kExplicit, ForceIntegration::kSemiImplicit}) {
      SCOPED_TRACE(testing::Message() << "floor " << int(floor) << ", forces " << int(forces));
      const Bounce b = bounce(forces, floor);
      EXPECT_GE(b.highest, 0.2);
      EXPECT_LE(b.highest, 3.0 * 3.0 / (2 * 9.81) + 0.12) << "higher than it came from";
      EXPECT_GE(b.lowest, 0);
      EXPECT_NEAR(b.along, 1, floor == BoundaryType::kSticky ? 0.2 : 1e-3);
    }
}

// A stiff block that falls on a plate with 3 m/s, at ten times the explicit step: what it has of
// energy it loses, and it stays as high as it is.
TEST(Deviatoric, AHardImpactStaysBounded) {
  for (double lambda : {1e5, kInfinity}) {
    SCOPED_TRACE(lambda);
    const double dt = 10 * wave_step(2e6, lambda);
    Scene scene = deviatoric_scene(ForceIntegration::kSemiImplicit, 0.03, dt);
    scene.simulation.fps = 1 / (5 * dt);
    scene.materials = {foam(2e6, lambda)};
    scene.bodies = {body("block", 0, box({-0.25, 0.02, 0}, {0.25, 0.52, 0}), {0, -3, 0})};
    scene.colliders = {collider("plate", box({-1, -1, 0}, {1, 0, 0}), BoundaryType::kSeparate)};
    Simulation simulation = simulate(scene);
    double before = simulation.stats().totals.kinetic;
    for (int frame = 0; frame < 8; ++frame) {
      simulation.advance_frame();
      const Totals t = simulation.stats().totals;
      ASSERT_LE(t.kinetic + t.elastic, before) << "frame " << frame;
      before = t.kinetic + t.elastic;
    }
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i) {
      EXPECT_GE(s.position[2 * i + 1], 0);
      EXPECT_LE(s.position[2 * i + 1], 0.52 + 3 * 40 * dt);
    }
  }
}

}  // namespace
}  // namespace firn::test

// Colliders that material moves, in whole simulations: momenta of particles and bodies together,
// free flight, light bodies on heavy material.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/rigid_scenes.h"

namespace firn::test {
namespace {

double epsilon_of(Precision precision) {
  return precision == Precision::kSingle ? std::numeric_limits<float>::epsilon()
                                         : std::numeric_limits<double>::epsilon();
}
double length(const Vec3& v) { return std::hypot(v[0], v[1], v[2]); }

struct Momenta {
  Vec3 linear{}, angular{};  // about the origin
};
Momenta momenta_of(Simulation& simulation) {
  const Totals t = simulation.totals();
  Momenta sum{t.momentum, t.angular_momentum};
  for (const ColliderState& c : simulation.colliders())
    for (std::size_t a = 0; a < 3; ++a) {
      sum.linear[a] += c.momentum[a];
      sum.angular[a] += c.angular_momentum[a];
    }
  return sum;
}

// --- momentum ---

struct Hit {
  int dimension;
  Precision precision;
  BoundaryType boundary;
  double friction;
  bool fused;
};
std::string name_of(const testing::TestParamInfo<Hit>& info) {
  const Hit& h = info.param;
  const char* boundary = h.boundary == BoundaryType::kSticky ? "Sticky"
                         : h.boundary == BoundaryType::kSlip ? "Slip"
                                                             : "Separate";
  return std::to_string(h.dimension) + "D" +
         (h.precision == Precision::kSingle ? "Single" : "Double") + boundary +
         (h.friction > 0 ? "Rubbing" : "") + (h.fused ? "Fused" : "Plain");
}
class StruckPlank : public testing::TestWithParam<Hit> {
 protected:
  static Scene scene() {
    const Hit& h = GetParam();
    Scene scene = struck_plank(h.dimension, h.precision, h.boundary, h.friction);
    scene.simulation.fused = h.fused;
    return scene;
  }
};

// In each step the momentum of a particle goes to 3^d nodes and comes back from as many, each a
// product and a sum: at most 4 * 3^d roundings in a row, of all the momentum that moves about.
TEST_P(StruckPlank, KeepsMomentumAndAngularMomentum) {
  Simulation simulation = simulate(scene());
  const Momenta before = momenta_of(simulation);
  const Totals start = simulation.totals();
  const std::vector<ColliderState> bodies = simulation.colliders();
  // Particles and bodies stay within a metre and a half of the origin.
  const double moving = std::sqrt(2 * start.mass * start.kinetic) + length(bodies[0].momentum) +
                        length(bodies[1].momentum);
  for (int frame = 0; frame < 6; ++frame) simulation.advance_frame();
  const Momenta after = momenta_of(simulation);
  const double steps = static_cast<double>(simulation.stats().total_steps),
               rounding = 4 * std::pow(3, GetParam().dimension) * steps *
                          epsilon_of(GetParam().precision) * moving;
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_NEAR(after.linear[a], before.linear[a], rounding) << a;
    EXPECT_NEAR(after.angular[a], before.angular[a], 1.5 * rounding) << a;
  }
  // It was hit, and pushed along and turned.
  const std::vector<ColliderState> moved = simulation.colliders();
  EXPECT_GT(moved[0].velocity[0] - bodies[0].velocity[0], 0.05);
  EXPECT_GT(std::abs(moved[0].angular_velocity[2] - bodies[0].angular_velocity[2]), 0.05);
}

std::vector<Hit> hits() {
  std::vector<Hit> all;
  for (const int d : {2, 3})
    for (const Precision p : {Precision::kSingle, Precision::kDouble})
      for (const bool fused : {false, true}) {
        all.push_back({d, p, BoundaryType::kSticky, 0, fused});
        all.push_back({d, p, BoundaryType::kSlip, 0, fused});
        all.push_back({d, p, BoundaryType::kSeparate, 0, fused});
        all.push_back({d, p, BoundaryType::kSeparate, 0.4, fused});
      }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Contacts, StruckPlank, testing::ValuesIn(hits()), name_of);

// Perfectly inelastic or not, contact takes energy and gives none.
TEST(RigidBodies, CollisionsLoseEnergy) {
  for (const BoundaryType boundary : {BoundaryType::kSticky, BoundaryType::kSeparate}) {
    Simulation simulation = simulate(struck_plank(2, Precision::kDouble, boundary));
    const auto energy = [&] {
      const Totals t = simulation.totals();
      double sum = t.kinetic + t.elastic;
      for (const ColliderState& c : simulation.colliders()) sum += c.kinetic;
      return sum;
    };
    double before = energy();
    const double start = before;
    for (int frame = 0; frame < 6; ++frame) {
      simulation.advance_frame();
      const double now = energy();
      // Elastic energy of symplectic Euler swings by the order of a step: c dt / dx = 0.5 at most,
      // of what a step can exchange.
      EXPECT_LT(now, before + 0.005 * start) << frame;
      before = now;
    }
    EXPECT_LT(before, 0.99 * start);
  }
}

// The order of sums differs, by some roundings of a velocity in each step.
TEST(RigidBodies, FusedStepsMoveThemAsPlainOnesDo) {
  for (const int dimension : {2, 3}) {
    Scene scene = struck_plank(dimension, Precision::kDouble, BoundaryType::kSticky);
    Simulation fused = simulate(scene);
    scene.simulation.fused = false;
    Simulation plain = simulate(scene);
    for (int frame = 0; frame < 4; ++frame) {
      fused.advance_frame();
      plain.advance_frame();
    }
    const FrameStats stats = fused.stats();
    ASSERT_EQ(stats.total_steps, plain.stats().total_steps);
    ASSERT_LT(stats.layouts, stats.total_steps / 2) << "nothing was fused";
    const auto a = fused.colliders(), b = plain.colliders();
    // 64 epsilon in a step [tests/gpu/step_equality_test.cpp] of the speed of sound in the jelly,
    // 12 m/s, which carries what differs.
    const double rounding =
        64 * static_cast<double>(stats.total_steps) * epsilon_of(Precision::kDouble) * 12;
    for (std::size_t c = 0; c < a.size(); ++c)
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(a[c].velocity[k], b[c].velocity[k], rounding);
        EXPECT_NEAR(a[c].angular_velocity[k], b[c].angular_velocity[k], rounding / 0.1);
        EXPECT_NEAR(a[c].translation[k], b[c].translation[k], rounding);
      }
  }
}

// --- free flight ---

TEST(RigidBodies, FallAlongAParabola) {
  for (const int dimension : {2, 3}) {
    Scene scene = empty_scene(dimension, 0.1, Precision::kSingle);
    scene.materials = {elastic("speck")};
    scene.bodies = {body("speck", 0, box({5, 5, 5}, {5.2, 5.2, 5.2}))};
    const Vec3 v = {1, 3, dimension == 3 ? -0.5 : 0},
               w = {dimension == 3 ? 1.0 : 0, dimension == 3 ? 7.0 : 0, 2};
    scene.colliders = {dynamic(
        collider("brick", box({0, 0, 0}, {0.3, 0.2, 0.1}), BoundaryType::kSticky), 500, v, w)};
    Simulation simulation = simulate(scene);
    const ColliderState before = simulation.colliders()[0];
    for (int frame = 0; frame < 12; ++frame) simulation.advance_frame();
    const FrameStats stats = simulation.stats();
    const ColliderState after = simulation.colliders()[0];
    const double t = stats.time, steps = static_cast<double>(stats.total_steps), g = -9.81;
    for (std::size_t a = 0; a < 3; ++a) {
      const double fall = a == 1 ? g : 0, rounding = steps * epsilon_of(Precision::kDouble) * 10;
      EXPECT_NEAR(after.velocity[a], v[a] + fall * t, rounding);
      EXPECT_NEAR(after.translation[a], v[a] * t + fall * t * t / 2, rounding);
      // What is not of the centre's flight: the spin keeps its angular momentum.
      const Vec3 x = {after.pivot[0] + after.translation[0], after.pivot[1] + after.translation[1],
                      after.pivot[2] + after.translation[2]},
                 &p = after.momentum, &q = before.pivot, &p0 = before.momentum;
      const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
      const double spin = after.angular_momentum[a] - (x[b] * p[c] - x[c] * p[b]),
                   spin0 = before.angular_momentum[a] - (q[b] * p0[c] - q[c] * p0[b]);
      EXPECT_NEAR(spin, spin0, 64 * epsilon_of(Precision::kDouble) * length(p) * length(x)) << a;
    }
    EXPECT_NEAR(after.kinetic + after.potential, before.kinetic + before.potential,
                1e-3 * before.kinetic);
    EXPECT_EQ(after.dynamic, true);
    EXPECT_EQ(stats.colliders.size(), 1u);
    EXPECT_EQ(stats.colliders[0].translation, after.translation);
  }
}

// Ten times a turn per second, at the end of a metre: that is what bounds dt.
TEST(RigidBodies, SurfaceSpeedBoundsTheStep) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {0, 0, 0};
  scene.materials = {elastic("speck", MaterialModel::kFixedCorotated, 1)};
  scene.bodies = {body("speck", 0, box({5, 5, 0}, {5.2, 5.2, 0}))};
  scene.colliders = {
      dynamic(collider("rod", box({-1, -0.02, 0}, {1, 0.02, 0}), BoundaryType::kSlip), 500, {},
              {0, 0, 60})};
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  const FrameStats stats = simulation.stats();
  EXPECT_EQ(stats.limited_by, DtLimit::kVelocity);
  EXPECT_GE(stats.max_speed, 60);
  EXPECT_LE(stats.max_speed, 60 * 1.01);
  EXPECT_LE(stats.dt_max * 60, scene.time.cfl * scene.grid.dx * (1 + 1e-12));
}

// --- bodies on material ---

// A thousandth of the sand's density, on the sand and dropped onto it: an impulse that belongs to
// the sand would throw it away. What falls from h cannot get faster than by its fall, nor come up
// higher, but for what the settling sand itself does: its own speed.
TEST(RigidBodies, LightOnesStayOnHeavyMaterial) {
  for (const int dimension : {2, 3})
    for (const BoundaryType boundary :
         {BoundaryType::kSticky, BoundaryType::kSlip, BoundaryType::kSeparate}) {
      SCOPED_TRACE(std::to_string(dimension) + " " + std::to_string(static_cast<int>(boundary)));
      const double height = 0.1;
      Scene scene = ball_on_bed(dimension, Precision::kSingle, 1.6, height, boundary);
      Simulation simulation = simulate(scene);
      double fastest = 0, highest = 0, sand_speed = 0;
      const double fall = std::sqrt(2 * 9.81 * height);
      Observer observer;
      observer.step = [&](const StepInfo&) {
        const ColliderState ball = simulation.colliders()[0];
        fastest = std::max(fastest, length(ball.velocity));
        highest = std::max(highest, ball.translation[1]);
        return true;
      };
      for (int frame = 0; frame < (dimension == 2 ? 24 : 12); ++frame) {
        simulation.advance_frame(observer);
        const Snapshot s = simulation.snapshot({false, false, false});
        for (float v : s.velocity) sand_speed = std::max(sand_speed, std::abs(double{v}));
      }
      const double slack = std::sqrt(dimension) * sand_speed + 9.81 * scene.time.dt_max;
      EXPECT_LT(fastest, fall + slack);
      EXPECT_LT(highest, slack * slack / (2 * 9.81) + slack * scene.time.dt_max);
      // It lies on the bed, within the reach of the kernel.
      EXPECT_NEAR(simulation.colliders()[0].translation[1], -height, 1.5 * scene.grid.dx);
    }
}

// What carries a heavy one is its weight.
TEST(RigidBodies, RestOnWhatCarriesThem) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e6)};
  scene.materials[0].viscosity = 2000;  // settles the bounce of the sudden load
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.8, 0.4, 0}))};
  scene.colliders = {
      collider("ground", ground(), BoundaryType::kSticky),
      dynamic(collider("weight", box({0.2, 0.4, 0}, {0.6, 0.7, 0}), BoundaryType::kSticky), 2000)};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 24; ++frame) simulation.advance_frame();
  const ColliderState a = simulation.colliders()[1];
  double force = 0, steps = 12;
  for (int frame = 0; frame < steps; ++frame) {
    simulation.advance_frame();
    force += simulation.stats().reactions[1].force[1] / steps;
  }
  const ColliderState b = simulation.colliders()[1];
  const double weight = b.mass * 9.81;
  EXPECT_NEAR(b.mass, 0.4 * 0.3 * 2000, 1e-3 * b.mass);
  // Newton's law over the half second, to rounding.
  EXPECT_NEAR((b.momentum[1] - a.momentum[1]) / 0.5, force - weight, 1e-9 * weight);
  EXPECT_NEAR(force, weight, 0.02 * weight);
  EXPECT_NEAR(b.velocity[1], 0, 0.02);
}

}  // namespace
}  // namespace firn::test

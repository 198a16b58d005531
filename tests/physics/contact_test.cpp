// Bodies, walls and materials in contact: Coulomb's law on an incline, forces that carry a weight,
// momentum that is accounted for to round-off, and ledgers whose parts add up.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/meshes.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81;

// A block on the plane y = 0, which is tilted by turning gravity.
Scene block_on_incline(double angle, BoundaryType boundary, double friction) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle), 0};
  scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 2e5)};
  scene.materials[0].viscosity = 50;  // settles the bounce that the load's sudden start begins
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.6, 0.2, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.bodies[0].particles_per_cell = 4;
  scene.colliders = {collider("plane", ground(), boundary, friction)};
  return scene;
}

// Mean acceleration down the plane over the second half second.
double acceleration(const Scene& scene) {
  Simulation simulation = simulate(scene);
  for (int i = 0; i < 12; ++i) simulation.advance_frame();
  const Totals a = simulation.totals();
  for (int i = 0; i < 12; ++i) simulation.advance_frame();
  return (simulation.totals().momentum[0] - a.momentum[0]) / a.mass / 0.5;
}

TEST(Incline, SlidesOrSticksAsCoulombSays) {
  const double angle = 0.4;  // tan = 0.4228
  const double down = kGravity * std::sin(angle), press = kGravity * std::cos(angle);
  for (double friction : {0.0, 0.1, 0.2, 0.3}) {
    const double a = acceleration(block_on_incline(angle, BoundaryType::kSeparate, friction));
    EXPECT_NEAR(a, down - friction * press, 0.005 * down) << friction;
  }
  for (double friction : {0.6, 1.0}) {
    const double a = acceleration(block_on_incline(angle, BoundaryType::kSeparate, friction));
    EXPECT_NEAR(a, 0, 0.01 * down) << friction;
  }
  EXPECT_NEAR(acceleration(block_on_incline(angle, BoundaryType::kSticky, 0)), 0, 0.02 * down)
      << "the shear vibration should have died down to that";
  EXPECT_NEAR(acceleration(block_on_incline(angle, BoundaryType::kSlip, 0)), down, 0.001 * down);
}

// Floors at nodes, whose positions round to either side of them: a block rests alike on each.
TEST(Contact, FloorsAtNodesAreAllTheSame) {
  for (const Precision precision : {Precision::kSingle, Precision::kDouble})
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kOptimization})
      for (const BoundaryType boundary : {BoundaryType::kSlip, BoundaryType::kSticky}) {
        double first = 0;
        for (int k = 4; k < 12; ++k) {
          Scene scene = empty_scene(2, 0.05, precision);
          scene.simulation.integrator = integrator;
          if (integrator == Integrator::kOptimization) scene.time.dt_max = 1.0 / 24;
          scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e5)};
          const double floor = 0.05 * k;
          scene.bodies = {body("block", 0, box({0, floor, 0}, {0.5, floor + 0.5, 0}))};
          scene.bodies[0].sampling = Sampling::kUniform;
          scene.colliders = {collider("floor", ground(floor), boundary)};
          Simulation simulation = simulate(scene);
          simulation.advance_until(0.25);
          const double height = (simulation.totals().center_of_mass[1] - floor) / 0.05;
          if (k == 4) first = height;
          EXPECT_NEAR(height, first, 0.02) << "cells, of a floor at node " << k;
        }
      }
}

// --- reactions ---

TEST(Reactions, CarryTheWeight) {
  Scene scene = block_on_incline(0, BoundaryType::kSticky, 0);
  scene.bodies[0].shape = box({1, 0, 0}, {1.6, 0.2, 0});
  Simulation simulation = simulate(scene);
  for (int i = 0; i < 24; ++i) simulation.advance_frame();
  Vec3 force{}, torque{};
  for (int i = 0; i < 24; ++i) {
    simulation.advance_frame();
    const ColliderReaction r = simulation.stats().reactions[0];
    for (int a = 0; a < 3; ++a) {
      force[a] += r.force[a] / 24;
      torque[a] += r.torque[a] / 24;
    }
  }
  const double weight = simulation.totals().mass * kGravity;
  EXPECT_NEAR(force[1], -weight, 0.01 * weight);  // what the block does to the plane
  EXPECT_NEAR(force[0], 0, 0.01 * weight);
  EXPECT_NEAR(torque[2], -weight * 1.3,
              0.01 * weight * 1.3);  // x cross F about the origin: clockwise
}

TEST(Reactions, FloorOfTheDomainHoldsABlock) {
  Scene scene = block_on_incline(0, BoundaryType::kSticky, 0);
  scene.colliders.clear();
  Domain walls;
  walls.min = {-1, 0, 0};
  walls.max = {2, 2, 0};
  walls.boundary.fill(BoundaryType::kSeparate);
  scene.grid.domain = walls;
  Simulation simulation = simulate(scene);
  for (int i = 0; i < 24; ++i) simulation.advance_frame();
  const double before = simulation.totals().momentum[1];
  for (int i = 0; i < 24; ++i) simulation.advance_frame();
  const Totals t = simulation.totals();
  // The floor's mean force is the weight less what the momentum gained in the second.
  EXPECT_NEAR(t.momentum[1] - before, 0, 0.01 * t.mass * kGravity);
  EXPECT_GT(t.center_of_mass[1], 0.08);
}

// What the momentum gained is gravity's impulse less what the bodies took, frame by frame, to
// round-off: for each particle-step at most a few eps of the momentum it carries.
TEST(Reactions, BalanceTheMomentum) {
  for (int dimension : {2, 3}) {
    Scene scene = busy_scene(dimension, Precision::kDouble);
    scene.grid.domain.reset();
    scene.sources.clear();
    scene.sinks.clear();
    scene.colliders.push_back(collider("ground", ground(), BoundaryType::kSlip));
    Simulation simulation = simulate(scene);
    Totals before = simulation.totals();
    double impulses = 0;
    for (int frame = 0; frame < 8; ++frame) {
      simulation.advance_frame();
      const FrameStats s = simulation.stats();
      for (int a = 0; a < dimension; ++a) {
        double expected = before.mass * scene.simulation.gravity[a] / 24;
        impulses += std::abs(expected);
        for (const ColliderReaction& r : s.reactions) {
          expected -= r.force[a] / 24;
          impulses += std::abs(r.force[a]) / 24;
        }
        const double change = s.totals.momentum[a] - before.momentum[a];
        EXPECT_NEAR(change, expected, 1e-12 * static_cast<double>(s.total_steps) * impulses)
            << "frame " << frame;
      }
      before = s.totals;
    }
    EXPECT_GT(impulses, 0.1 * before.mass);
  }
}

TEST(Colliders, ThatMoveDragTheMaterial) {
  Scene scene = block_on_incline(0, BoundaryType::kSticky, 0);
  scene.colliders[0].shape = box({-5, -0.5, 0}, {5, 0, 0});
  scene.colliders[0].motion = Keyframes{{0, 2}, {{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {}};
  Simulation simulation = simulate(scene);
  const double start = simulation.totals().center_of_mass[0];
  for (int i = 0; i < 18; ++i) simulation.advance_frame();
  const double half_way = simulation.totals().center_of_mass[0];
  for (int i = 0; i < 18; ++i) simulation.advance_frame();
  const double end = simulation.totals().center_of_mass[0];
  // On the mean, as the block sways.
  EXPECT_NEAR((end - half_way) / 0.75, 0.5, 0.02);
  EXPECT_NEAR(end - start, 0.5 * 1.5, 0.03);
}

// A body that begins inside the ground: nodes only hold it, the guard alone brings it back.
// Round-off of a position is far below a thousandth of a cell.
TEST(Colliders, NoParticleStaysDeeperThanHalfACell) {
  for (int dimension : {2, 3}) {
    Scene scene = empty_scene(dimension, 0.1, Precision::kSingle);
    scene.materials = {elastic("soft", MaterialModel::kFixedCorotated, 10)};
    scene.bodies = {body("sunk", 0, box({-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}))};
    scene.colliders.push_back(collider("ground", ground(), BoundaryType::kSeparate));
    Simulation simulation = simulate(scene);
    const auto lowest = [&] {
      const Snapshot s = simulation.snapshot();
      float y = s.position[1];
      for (std::size_t i = 0; i < s.size(); ++i)
        y = std::min(y, s.position[i * static_cast<std::size_t>(dimension) + 1]);
      return y;
    };
    ASSERT_LT(lowest(), -0.3F);
    simulation.advance_frame();
    EXPECT_GE(lowest(), -(0.5F + 1e-3F) * 0.1F) << dimension << "D";
  }
}

TEST(Colliders, ABoxOfTrianglesIsABox) {
#if !defined(FIRN_WITH_OPENVDB)
  GTEST_SKIP() << "mesh shapes need OpenVDB";
#endif
  const ScratchFolder folder;
  const std::string file = (folder / "box.obj").string();
  write_text(file, as_obj(cube(0.25, {0.5, -0.25, 0.5})));
  Scene scene = empty_scene(3, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, sphere({0.45, 0.2, 0.5}, 0.15), {0, -1, 0})};
  scene.colliders = {
      collider("box", box({0.25, -0.5, 0.25}, {0.75, 0, 0.75}), BoundaryType::kSeparate, 0.3)};
  Simulation of_shape = simulate(scene);
  Shape mesh;
  mesh.type = ShapeType::kMesh;
  mesh.file = file;
  scene.colliders[0].shape = mesh;
  Simulation of_mesh = simulate(scene);
  double total_impulse = 0;
  for (int i = 0; i < 10; ++i) {
    of_shape.advance_frame();
    of_mesh.advance_frame();
    const Totals a = of_shape.totals(), b = of_mesh.totals();
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(a.center_of_mass[k], b.center_of_mass[k], 0.1 * scene.grid.dx) << "frame " << i;
    total_impulse += of_mesh.stats().reactions[0].force[1] / 24;
  }
  EXPECT_LT(total_impulse, -of_mesh.totals().mass);  // it did land on it
}

// --- materials and ledgers ---

Scene collision() {
  Scene scene = empty_scene(2, 0.04);
  scene.simulation.gravity = {0, 0, 0};
  scene.materials = {elastic("soft", MaterialModel::kFixedCorotated, 5e4, 500),
                     elastic("hard", MaterialModel::kNeoHookean)};
  scene.bodies = {body("left", 0, sphere({-0.25, 0.05, 0}, 0.2), {2, 0, 0}),
                  body("right", 1, sphere({0.25, 0, 0}, 0.2), {-2, 0, 0})};
  return scene;
}

TEST(Materials, InOneBlockExchangeMomentum) {
  Simulation simulation = simulate(collision());
  const Totals start = simulation.totals();
  double soft_before = 0;
  const auto momentum_of_soft = [&] {
    const Snapshot s = simulation.snapshot();
    double p = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s.material[i] == 0) p += static_cast<double>(s.mass[i] * s.velocity[2 * i]);
    return p;
  };
  soft_before = momentum_of_soft();
  for (int i = 0; i < 6; ++i) simulation.advance_frame();
  const FrameStats s = simulation.stats();
  const double scale = start.mass * 2;  // sum of m |v|
  EXPECT_NEAR(s.totals.mass, start.mass, 1e-12 * start.mass);
  for (int a = 0; a < 2; ++a)
    EXPECT_NEAR(s.totals.momentum[a], start.momentum[a],
                1e-14 * static_cast<double>(s.total_steps) * scale);
  EXPECT_NEAR(s.totals.angular_momentum[2], start.angular_momentum[2],
              1e-14 * static_cast<double>(s.total_steps) * scale);
  EXPECT_LT(momentum_of_soft(), 0) << "they met and turned back";
  EXPECT_GT(soft_before, 0);
  // Energy never comes from nowhere: explicit steps at half the limit add at most a few
  // thousandths.
  EXPECT_LT(s.totals.kinetic + s.totals.elastic, 1.005 * start.kinetic);
  EXPECT_GT(s.totals.kinetic + s.totals.elastic, 0.5 * start.kinetic);
}

// The elastic energy of the ledger is that of the particles, each computed from its own F; chunks
// that have shrunk must not leave anything in the sum.
TEST(Ledger, ElasticEnergyIsThatOfTheParticles) {
  for (Precision precision : {Precision::kSingle, Precision::kDouble}) {
    Scene scene = collision();
    scene.simulation.precision = precision;
    scene.materials[1] = scene.materials[0];
    scene.materials[1].name = "same";
    Simulation simulation = simulate(scene);
    for (int i = 0; i < 6; ++i) {
      simulation.advance_frame();
      const Snapshot s = simulation.snapshot();
      const double mu = 5e4 / 2.6, lambda = 5e4 * 0.3 / (1.3 * 0.4);
      double sum = 0;
      for (std::size_t p = 0; p < s.size(); ++p) {
        const float* F = &s.deformation_gradient[4 * p];
        const double a = F[0], b = F[1], c = F[2], d = F[3], J = a * d - b * c;
        // 2D: sigma_1 +- sigma_2 = |(a +- d, b -+ c)|
        const double plus = std::hypot(a + d, b - c), minus = std::hypot(a - d, b + c);
        const double s1 = 0.5 * (plus + minus), s2 = 0.5 * (plus - minus);
        sum +=
            static_cast<double>(s.volume[p]) *
            (mu * ((s1 - 1) * (s1 - 1) + (s2 - 1) * (s2 - 1)) + 0.5 * lambda * (J - 1) * (J - 1));
      }
      const double elastic = simulation.totals().elastic;
      // F comes in single precision: errors of eps in a strain of root(2 elastic / (volume E)).
      EXPECT_NEAR(elastic, sum, 1e-3 * sum + 1e-6) << "frame " << i;
    }
  }
}

// Stage by stage the kinetic energy adds up to its change; gravity and internal forces trade it
// against the potential and elastic energy, to first order in dt.
TEST(Ledger, StagesAddUp) {
  const auto residual = [](double dt) {
    Scene scene = collision();
    scene.simulation.gravity = {0, -kGravity, 0};
    scene.time.dt_max = dt;
    scene.output.diagnostics = DiagnosticsLevel::kStages;
    scene.colliders = {collider("ground", ground(-0.25), BoundaryType::kSeparate)};
    Simulation simulation = simulate(scene);
    Totals before = simulation.totals();
    double moved = 0, worst = 0;
    for (int i = 0; i < 6; ++i) {
      simulation.advance_frame();
      const FrameStats s = simulation.stats();
      const StageLedger& l = s.stages;
      const double change = s.totals.kinetic - before.kinetic;
      const double scale = std::abs(l.p2g) + std::abs(l.grid_forces) + std::abs(l.boundary) +
                           std::abs(l.g2p) + before.kinetic;
      EXPECT_NEAR(l.p2g + l.grid_forces + l.boundary + l.g2p, change,
                  1e-14 * static_cast<double>(s.steps) * scale);  // two sums per step and stage
      EXPECT_NEAR(l.plasticity, 0, 1e-14 * static_cast<double>(s.steps) * scale);
      EXPECT_LE(l.boundary, 0);
      const double conservative =
          s.totals.elastic - before.elastic + s.totals.potential - before.potential;
      worst = std::max(worst, std::abs(l.grid_forces + conservative));
      moved = std::max(moved, std::abs(conservative));
      before = s.totals;
    }
    return worst / moved;
  };
  const double coarse = residual(1e-4), fine = residual(2.5e-5);
  EXPECT_LT(fine, 0.1);
  EXPECT_LT(fine, 0.4 * coarse);  // a quarter, if it were exactly of first order
}

}  // namespace
}  // namespace firn::test

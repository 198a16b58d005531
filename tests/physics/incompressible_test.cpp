// The incompressible integrator as a whole on states whose continuation is known: rest, free fall,
// sealed liquid; and what every step conserves. [VALIDATION: exact properties]
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81;

// --- rest ---

Scene tank(Sampling sampling, bool density_correction) {
  Scene scene = liquid_scene(2, 1.0 / 16);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {1, 0.5, 0}))};
  scene.bodies[0].sampling = sampling;
  scene.fluid.density_correction = density_correction;
  return scene;
}

double speed_after(const Scene& scene, double time) {
  Simulation simulation = simulate(scene);
  run_to(simulation, time);
  return simulation.stats().max_speed;
}

TEST(StillWater, Measure) {
  for (const Sampling sampling : {Sampling::kUniform, Sampling::kPoisson})
    for (const bool correction : {false, true})
      for (const double tolerance : {1e-6, 1e-10})
        for (const TransferType t : {TransferType::kApic, TransferType::kFlip, TransferType::kPic}) {
          Scene scene = tank(sampling, correction);
          scene.fluid.tolerance = tolerance;
          scene.transfer.type = t;
          const double u = speed_after(scene, 10);
          std::printf("still: sampling %d correction %d tol %g transfer %d: %.3g sqrt(gh)\n",
                      int(sampling), correction, tolerance, int(t), u / std::sqrt(kGravity * 0.5));
        }
}

TEST(StillWater, MeasureKernels) {
  for (int kernel : {2, 3}) {
    Scene scene = tank(Sampling::kPoisson, false);
    scene.transfer.kernel = kernel;
    std::printf("still: kernel %d: %.3g sqrt(gh)\n", kernel,
                speed_after(scene, 10) / std::sqrt(kGravity * 0.5));
  }
}

// --- free fall ---

TEST(FreeFall, Single) {
  for (int D : {2, 3})
    for (const TransferType t :
         {TransferType::kApic, TransferType::kFlip, TransferType::kPic, TransferType::kPolypic}) {
      Scene scene = liquid_scene(D, 0.1);
      scene.transfer.type = t;
      scene.bodies = {lattice("drop", box({0.21, 0.21, 0.21}, {0.26, 0.26, 0.26}), {0.3, 1, 0})};
      scene.bodies[0].particles_per_cell = 1;
      scene.bodies[0].shape = sphere({0.25, 0.25, 0.25}, 0.03);
      Simulation simulation = simulate(scene);
      const auto n = simulation.stats().particles;
      run_to(simulation, 1);
      const Totals after = simulation.totals();
      std::printf("fall: D %d transfer %d particles %lld steps %lld: vy %.17g err %.3g vx err %.3g div %.3g iters %lld\n", D, int(t),
                  (long long)n, (long long)simulation.stats().total_steps, after.momentum[1] / after.mass,
                  after.momentum[1] / after.mass - 1 + kGravity, after.momentum[0] / after.mass - 0.3,
                  simulation.stats().pressure.max_divergence, (long long)simulation.stats().pressure.iterations);
    }
}

TEST(FreeFall, HundredDrops) {
  Scene scene = liquid_scene(2, 0.02);
  for (int i = 0; i < 100; ++i)
    scene.bodies.push_back(body("drop", 0, sphere({0.21 * (i % 10) + 0.013 * (i % 7), 0.21 * (i / 10), 0}, 0.02 + 0.03 * (i % 9) / 9), {0.1 * (i % 3), 0, 0}));
  for (const bool corr : {false, true}) {
    scene.fluid.density_correction = corr;
  Simulation simulation = simulate(scene);
  const Totals start = simulation.totals();
  run_to(simulation, 0.5);
  const Totals after = simulation.totals();
  std::printf("drops: corr %d particles %lld: vy err %.3g vx err %.3g, mass err %g, max div %g\n", corr, (long long)simulation.stats().particles,
      after.momentum[1] / after.mass + 0.5 * kGravity, (after.momentum[0] - start.momentum[0]) / after.mass, after.mass - start.mass, simulation.stats().pressure.max_divergence);
  }
}

// --- sealed ---

TEST(Sealed, FullBox) {
  for (int D : {2, 3})
    for (const bool corr : {false, true})
      for (const Sampling s : {Sampling::kUniform, Sampling::kPoisson}) {
        Scene scene = liquid_scene(D, 0.1);
        scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
        scene.bodies = {body("liquid", 0, box({0, 0, 0}, {1, 1, 1}))};
        scene.bodies[0].sampling = s;
        scene.fluid.density_correction = corr;
        Simulation simulation = simulate(scene);
        run_to(simulation, D == 2 ? 5 : 2);
        std::printf("sealed full: D %d corr %d sampling %d: speed %.3g, sealed %lld, iters %lld of %lld solves drift its %lld\n", D, corr, int(s),
                    simulation.stats().max_speed, (long long)simulation.stats().pressure.sealed_regions,
                    (long long)simulation.stats().pressure.iterations, (long long)simulation.stats().pressure.solves, (long long)simulation.stats().pressure.drift_iterations);
      }
}

TEST(Sealed, PocketBesideOpenWater) {
  for (const bool corr : {false, true}) {
    Scene scene = liquid_scene(2, 1.0 / 16);
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
    scene.bodies = {lattice("pocket", box({0, 0, 0}, {0.375, 0.5, 0})),
                    lattice("pool", box({0.5, 0, 0}, {1, 0.5, 0}))};
    scene.colliders = {collider("wall", box({0.375, -1, -1}, {0.5, 2, 1}), BoundaryType::kSlip),
                       collider("lid", box({-1, 0.5, -1}, {0.5, 2, 1}), BoundaryType::kSlip)};
    scene.fluid.density_correction = corr;
    Simulation simulation = simulate(scene);
    run_to(simulation, 5);
    std::printf("pocket: corr %d speed %.3g sealed %lld\n", corr, simulation.stats().max_speed,
                (long long)simulation.stats().pressure.sealed_regions);
  }
}

// --- conservation ---

TEST(Conservation, Momentum) {
  for (const TransferType t : {TransferType::kApic, TransferType::kFlip, TransferType::kPic})
    for (int kernel : {1, 2})
      for (bool corr : {false, true}) {
        Scene scene = liquid_scene(2, 0.05);
        scene.transfer.type = t;
        scene.transfer.kernel = kernel;
        scene.simulation.gravity = {};
        scene.fluid.density_correction = corr;
        scene.fluid.tolerance = 1e-10;
        scene.bodies = {body("blob", 0, sphere({0.5, 0.5, 0}, 0.3), {1, 0.5, 0})};
        scene.bodies[0].velocity.component[0].expression = "1+0.5*sin(7*y)";
        scene.bodies[0].velocity.component[1].expression = "0.5+0.5*cos(5*x)";
        Simulation simulation = simulate(scene);
        const Totals start = simulation.totals();
        simulation.advance_steps(1);
        const Totals one = simulation.totals();
        simulation.advance_steps(20);
        const Totals after = simulation.totals();
        std::printf("momentum: transfer %d kernel %d corr %d: one step %.3g %.3g, 21 steps %.3g %.3g (of m|v|), L0 %.4g L1 %.4g L21 %.4g\n",
                    int(t), kernel, corr, (one.momentum[0] - start.momentum[0]) / start.mass,
                    (one.momentum[1] - start.momentum[1]) / start.mass,
                    (after.momentum[0] - start.momentum[0]) / start.mass,
                    (after.momentum[1] - start.momentum[1]) / start.mass, start.angular_momentum[2], one.angular_momentum[2], after.angular_momentum[2]);
      }
}

TEST(Spin, Disc) {
  for (const TransferType t : {TransferType::kApic, TransferType::kFlip, TransferType::kPic, TransferType::kRpic,  TransferType::kPolypic})
    for (int kernel : {1, 2})
      for (bool corr : {false, true}) {
        Scene scene = liquid_scene(2, 0.05);
        scene.transfer.type = t;
        scene.transfer.kernel = kernel;
        scene.simulation.gravity = {};
        scene.fluid.density_correction = corr;
        scene.bodies = {body("disc", 0, sphere({0.5, 0.5, 0}, 0.4))};
        scene.bodies[0].angular_velocity = {0, 0, 2};
        Simulation simulation = simulate(scene);
        const Totals start = simulation.totals();
        auto spin = [](const Totals& q) { return q.angular_momentum[2] - q.center_of_mass[0] * q.momentum[1] + q.center_of_mass[1] * q.momentum[0]; };
        simulation.advance_steps(1);
        const Totals one = simulation.totals();
        run_to(simulation, 3.14);
        const Totals after = simulation.totals();
        std::printf("spin: transfer %d kernel %d corr %d: one step 1-%.3g, kept after 1 turn (%lld steps) %.4f, kinetic %.4f, com drift %.3g\n", int(t), kernel, corr,
                    1 - spin(one) / spin(start), (long long)simulation.stats().total_steps, spin(after) / spin(start), after.kinetic / start.kinetic, after.center_of_mass[0] - start.center_of_mass[0]);
      }
}

}  // namespace
}  // namespace firn::test

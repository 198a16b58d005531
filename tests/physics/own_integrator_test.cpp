// An integrator is a list of stages and the order in which they are called. This one, which no
// scene names, finds equilibria: velocities vanish after every step, so that particles follow the
// forces downhill.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "kernels/exec/host.h"
#include "kernels/exec/launch.h"
#include "src/run/scene_stepper.inl"
#include "src/stages/body_force.h"
#include "src/stages/layout.h"
#include "src/stages/node_transfer.h"
#include "src/state/batch.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

template <int D, class Real>
struct ForgetVelocity {
  static constexpr const char* kName = "forget_velocity";
  ParticleView<Real> particles;

  template <class Device>
  void operator()(Device&, std::uint32_t slot) const {
    for (int a = 0; a < D; ++a) channel_row(particles.v, slot / kLanes, D, a)[slot % kLanes] = 0;
  }
};

template <class Exec, int D, class Real>
struct QuasiStaticIntegrator {
  using Context = StepContext<Exec, D, Real>;
  QuasiStaticIntegrator(const Scene& scene, Context& c) : context(c), body_force(scene, c) {}
  static constexpr bool can_be_captured() { return false; }

  void enqueue() {
    layout.enqueue();
    context.choose_time_step(StepPlan::kFresh);
    body_force.kick_particles();
    transfer.scatter();
    transfer.update();
    transfer.gather();
    stress.enqueue();
    launch_items(
        context.exec,
        {{&context.step()->n_slots, context.particles.capacity() * kLanes}, &context.step()->stop},
        ForgetVelocity<D, Real>{context.particles.view()});
  }

  template <class F>
  void for_each_stage(F&& f) {
    f(layout), f(body_force), f(sums), f(energies), f(stress), f(transfer);
  }

  Context& context;
  LayoutStage<Exec, D, Real> layout{context};
  BodyForceStage<Exec, D, Real> body_force;
  ParticleSums<Exec, D, Real> sums{context};
  EnergyStage<Exec, D, Real> energies{context, sums};
  ParticleStress<Exec, D, Real> stress{context, energies};
  NodeTransfer<Exec, D, Real> transfer{context, energies, stress};
};

Scene hanging_bar() {
  Scene scene = empty_scene(2, 0.025, Precision::kDouble);
  scene.simulation.fused = false;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.transfer.type = TransferType::kPic;
  scene.materials = {elastic("rubber")};
  scene.materials[0].density = 1000;
  scene.materials[0].youngs_modulus = 1e5;
  scene.materials[0].poisson_ratio = 0;
  scene.bodies = {body("bar", 0, box({0, 0, 0}, {0.2, 0.5, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.colliders = {collider("ceiling", box({-1, 0.45, 0}, {1, 1, 0}), BoundaryType::kSticky)};
  return scene;
}

// At height y over its lower end the bar bears what hangs below: the strain is rho g y / E, so
// that between the heights a and b it grows by rho g (b^2 - a^2) / (2 E).
TEST(OwnIntegrator, AHangingBarSagsByItsWeight) {
  const Scene scene = hanging_bar();
  SceneStepper<QuasiStaticIntegrator<Cpu, 2, double>> stepper(
      scene, std::make_unique<Cpu>(1), [](std::uint32_t) { return std::string("bar"); });
  const ParticleBatch bar = fill_body(scene, 0);
  stepper.append(bar, 0);
  stepper.initialize();
  const auto growth = [&](double a, double b) {
    const Snapshot now = stepper.snapshot({});
    const auto mean_height = [&](double height) {
      double sum = 0;
      int count = 0;
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (std::abs(bar.position[i][1] - height) > 0.25 * scene.grid.dx) continue;
        sum += static_cast<double>(now.position[2 * i + 1]) - bar.position[i][1];
        ++count;
      }
      EXPECT_GT(count, 0);
      return sum / count;
    };
    return mean_height(b) - mean_height(a);
  };
  const double a = 0.05625, b = 0.35625;  // rows of the lattice
  EXPECT_NEAR(growth(a, b), 0, 1e-6);
  EXPECT_TRUE(stepper.run_steps(5000, std::numeric_limits<double>::infinity(), {}));
  EXPECT_EQ(stepper.control().step, 5000u);
  const double expected = 1000 * 9.81 * (b * b - a * a) / (2 * 1e5);
  EXPECT_NEAR(growth(a, b), expected, 0.05 * expected);
  EXPECT_EQ(stepper.totals().kinetic, 0);
}

}  // namespace
}  // namespace firn::test

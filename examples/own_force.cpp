// A force that the library does not have: a whirl that drags a ball of jelly around the vertical
// axis. It is asked for once in every step, for all particles at once.
#include <cmath>
#include <cstdio>

#include "firn/error.h"
#include "firn/simulation.h"

namespace {

firn::Scene ball_in_space() {
  firn::Scene scene;
  scene.name = "whirl";
  scene.simulation.gravity = {0, 0, 0};
  scene.grid.dx = 0.05;

  firn::Material jelly;
  jelly.name = "jelly";
  jelly.density = 1000;
  jelly.youngs_modulus = 1e5;
  jelly.poisson_ratio = 0.3;
  scene.materials = {jelly};

  firn::Body ball;
  ball.name = "ball";
  ball.shape.center = {0.5, 0, 0};
  ball.shape.radius = 0.2;
  scene.bodies = {ball};
  return scene;
}

// Pulls velocities towards those of a rigid rotation about the y axis: a = (omega x r - v) / tau.
constexpr float kOmega = 2, kTau = 0.1f;  // rad/s, s
void whirl(const firn::ForceStep& step) {
  // Particles lie in chunks; in each, a component of a field is a row of one number per particle.
  for (std::int64_t chunk = 0; chunk < step.position.chunks; ++chunk) {
    const float* x = step.position.row<float>(chunk, 0);
    const float* z = step.position.row<float>(chunk, 2);
    for (int i = 0; i < step.position.count(chunk); ++i) {
      const float target[] = {kOmega * z[i], 0, -kOmega * x[i]};
      for (int a = 0; a < 3; ++a)
        step.acceleration.row<float>(chunk, a)[i] =
            (target[a] - step.velocity.row<float>(chunk, a)[i]) / kTau;
    }
  }
}

}  // namespace

int main() {
  try {
    firn::Simulation simulation(ball_in_space(), {.device = firn::Device::kCpu});
    simulation.set_force(whirl);
    simulation.advance_until(1);
    // At the end of ten times tau the ball goes around with nearly all of the whirl's speed.
    const firn::Totals t = simulation.totals();
    const double r = std::hypot(t.center_of_mass[0], t.center_of_mass[2]);
    const double v = std::hypot(t.momentum[0], t.momentum[2]) / t.mass;
    std::printf("r = %.3f m, v = %.3f m/s, v / (omega r) = %.3f\n", r, v, v / (kOmega * r));
  } catch (const firn::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.exit_code();
  }
}

// Builds a scene in code instead of reading a file: a ball of jelly falls on the ground. Reads the
// particles after every tenth of a second and prints how high they are.
#include <algorithm>
#include <cstdio>

#include "firn/error.h"
#include "firn/simulation.h"

namespace {

// What is not set here is as a file of explicit steps has it: 3D, gravity along -y, APIC with
// quadratic kernels, single precision, steps as short as they have to be. For another integrator a
// file chooses some of that itself, and code has to: transfer.kernel = 1 for incompressible
// liquids, transfer.force = ForceForm::kGradient for thermal, and for long steps a time.dt_max as
// of 1 / simulation.fps.
firn::Scene falling_ball() {
  firn::Scene scene;
  scene.name = "falling ball";
  scene.grid.dx = 0.05;  // m, side of a grid cell; space has no end unless there is a domain

  firn::Material jelly;
  jelly.name = "jelly";
  jelly.model = firn::MaterialModel::kFixedCorotated;
  jelly.density = 1000;        // kg/m^3
  jelly.youngs_modulus = 1e5;  // Pa
  jelly.poisson_ratio = 0.3;
  scene.materials = {jelly};

  firn::Body ball;
  ball.name = "ball";
  ball.material = 0;  // index into scene.materials
  ball.shape.type = firn::ShapeType::kSphere;
  ball.shape.center = {0, 0.6, 0};  // m
  ball.shape.radius = 0.2;
  ball.velocity.component[0].constant = 1;  // m/s; or .expression = "1 + y"
  scene.bodies = {ball};

  firn::Collider ground;
  ground.name = "ground";
  ground.shape.type = firn::ShapeType::kHalfSpace;  // everything below the plane y = 0
  ground.shape.point = {0, 0, 0};
  ground.shape.normal = {0, 1, 0};
  ground.boundary = firn::BoundaryType::kSeparate;
  ground.friction = 0.3;
  scene.colliders = {ground};
  return scene;
}

void print_heights(double time, const firn::Snapshot& particles) {
  // x, y and z of one particle after the other, in the order of their ids.
  double lowest = particles.position[1], highest = lowest, sum = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double y = particles.position[3 * i + 1];
    lowest = std::min(lowest, y);
    highest = std::max(highest, y);
    sum += y;
  }
  std::printf("t = %.1f s: %zu particles from y = %.3f to %.3f m, %.3f m on average\n", time,
              particles.size(), lowest, highest, sum / static_cast<double>(particles.size()));
}

}  // namespace

int main() {
  try {
    firn::Simulation simulation(falling_ball(), {.device = firn::Device::kCpu});
    for (int tenth = 0; tenth <= 6; ++tenth) {
      simulation.advance_until(0.1 * tenth);
      // Copies the particles to the host; tensors are left out unless they are asked for.
      print_heights(simulation.time(), simulation.snapshot({.deformation_gradient = false,
                                                            .kirchhoff_stress = false}));
    }
  } catch (const firn::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.exit_code();
  }
}

// Reads the particles' numbers where the simulation has them, without a snapshot: lists the fields,
// then takes the deformation of a ball that hits the ground by a view of the memory and by a copy.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "firn/error.h"
#include "firn/simulation.h"

namespace {

firn::Scene ball_on_the_ground() {
  firn::Scene scene;
  scene.name = "ball";
  scene.simulation.precision = firn::Precision::kDouble;
  scene.grid.dx = 0.05;

  firn::Material jelly;
  jelly.name = "jelly";
  jelly.density = 1000;
  jelly.youngs_modulus = 1e5;
  jelly.poisson_ratio = 0.3;
  scene.materials = {jelly};

  firn::Body ball;
  ball.name = "ball";
  ball.shape.center = {0, 0.25, 0};
  ball.shape.radius = 0.2;
  ball.velocity.component[1].constant = -2;
  scene.bodies = {ball};

  firn::Collider ground;
  ground.name = "ground";
  ground.shape.type = firn::ShapeType::kHalfSpace;
  scene.colliders = {ground};
  return scene;
}

double determinant(const double (&F)[9]) {
  return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
         F[2] * (F[3] * F[7] - F[4] * F[6]);
}

// What the library keeps is F - I.
double volume_ratio(double (&H)[9]) {
  for (int a = 0; a < 3; ++a) H[4 * a] += 1;
  return determinant(H);
}

// By the view: chunk after chunk, rows of the nine components, as many lanes as the chunk has.
double most_compressed_in(const firn::FieldView& displacement) {
  double least = 1;
  for (std::int64_t chunk = 0; chunk < displacement.chunks; ++chunk)
    for (int lane = 0; lane < displacement.count(chunk); ++lane) {
      double of_one[9];
      for (int k = 0; k < 9; ++k) of_one[k] = displacement.row<double>(chunk, k)[lane];
      least = std::min(least, volume_ratio(of_one));
    }
  return least;
}
// By the copy: nine numbers after each other, in the order of ids.
double most_compressed_in(const std::vector<double>& displacement) {
  double least = 1;
  for (std::size_t i = 0; i < displacement.size(); i += 9) {
    double of_one[9];
    std::copy_n(&displacement[i], 9, of_one);
    least = std::min(least, volume_ratio(of_one));
  }
  return least;
}

}  // namespace

int main() {
  try {
    // On CUDA the view's pointers are the device's: kernels of your own go to its stream.
    firn::Simulation simulation(ball_on_the_ground(), {.device = firn::Device::kCpu});
    for (const firn::FieldInfo& field : simulation.fields())
      std::printf("%s: %d x %s, %s\n", field.name.c_str(), field.components,
                  firn::name_of(field.type), field.unit.c_str());
    for (int tenth = 1; tenth <= 4; ++tenth) {
      simulation.advance_until(0.05 * tenth);
      // A view holds until the simulation goes on, so it is asked for every time.
      const firn::FieldView view = simulation.field_view("displacement_gradient");
      const double here = most_compressed_in(view),
                   copied = most_compressed_in(simulation.field<double>("displacement_gradient"));
      std::printf("t = %.2f s: %lld particles in %lld chunks, J >= %.4f\n", simulation.time(),
                  static_cast<long long>(view.size), static_cast<long long>(view.chunks), here);
      if (here != copied) {
        std::fprintf(stderr, "the copy says J >= %.17g\n", copied);
        return EXIT_FAILURE;
      }
    }
  } catch (const firn::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.exit_code();
  }
}

// Draws what a simulation has come to, as `firn run` does: a drop of jelly on a slope, in 2D.
#include <cstdio>

#include "firn/error.h"
#include "firn/render.h"
#include "firn/simulation.h"

namespace {

firn::Scene drop_on_a_slope() {
  firn::Scene scene;
  scene.name = "drop";
  scene.simulation.dimension = 2;
  scene.grid.dx = 0.02;
  scene.output.color = "speed";
  scene.output.resolution = {480, 320};

  firn::Material jelly;
  jelly.name = "jelly";
  jelly.density = 1000;
  jelly.youngs_modulus = 1e4;
  jelly.poisson_ratio = 0.3;
  scene.materials = {jelly};

  firn::Body drop;
  drop.name = "drop";
  drop.shape.center = {0, 0.3, 0};
  drop.shape.radius = 0.15;
  scene.bodies = {drop};

  firn::Collider slope;
  slope.name = "slope";
  slope.shape.type = firn::ShapeType::kHalfSpace;
  slope.shape.normal = {0.2, 0.98, 0};
  scene.colliders = {slope};
  return scene;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const firn::Scene scene = drop_on_a_slope();
    firn::Simulation simulation(scene, {.device = firn::Device::kCpu});
    firn::SceneRenderer renderer(scene);
    renderer.render(simulation);  // the first picture chooses what all of them show
    simulation.advance_until(0.25);
    const firn::Image picture = renderer.render(simulation);
    const char* path = argc > 1 ? argv[1] : "drop.png";
    firn::write_png(path, picture);
    std::printf("%s: %d x %d pixels, t = %.2f s\n", path, picture.width, picture.height,
                simulation.time());
  } catch (const firn::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.exit_code();
  }
}

// Everything that the library is linked with is needed to link this: a scene is read and run.
#include <cstdio>

#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "firn/version.h"

int main() {
  const char* text = R"(
[simulation]
dimension = 2
[grid]
dx = 0.1
[material.jelly]
model = "fixed_corotated"
density = 1000
youngs_modulus = 1e4
poisson_ratio = 0.3
[[body]]
material = "jelly"
sampling = "uniform"
shape = { type = "box", min = [0, 0], max = [0.4, 0.4] }
)";
  const firn::Scene scene = firn::parse_scene(text, "text", ".");
  firn::Simulation simulation(scene, {.device = firn::Device::kCpu, .threads = 1});
  simulation.advance_steps(3);
  std::printf("firn %s: %zu particles\n", firn::kVersion, simulation.snapshot().size());
}

// Scenes for what programs do with a simulation from outside: every dimension and precision, steps
// that are fused and steps that are not.
#pragma once

#include <string>
#include <vector>

#include "tests/support/sim_scenes.h"

namespace firn::test {

struct LibraryCase {
  int dimension = 2;
  Precision precision = Precision::kSingle;
  bool fused = true;
  std::string name() const {
    return std::to_string(dimension) + "d, " +
           (precision == Precision::kSingle ? "single, " : "double, ") +
           (fused ? "fused" : "plain");
  }
};
inline std::vector<LibraryCase> library_cases() {
  std::vector<LibraryCase> cases;
  for (const int dimension : {2, 3})
    for (const Precision precision : {Precision::kSingle, Precision::kDouble})
      for (const bool fused : {true, false}) cases.push_back({dimension, precision, fused});
  return cases;
}
// What a step can meet, but for a sink, which only plain steps allow; those have it.
inline Scene busy_case(const LibraryCase& c) {
  Scene scene = busy_scene(c.dimension, c.precision);
  scene.simulation.reproducible = true;
  if (c.fused) scene.sinks.clear();
  return scene;
}
// Two balls of one material in free space, apart and at rest.
inline Scene two_balls(const LibraryCase& c) {
  Scene scene = empty_scene(c.dimension, 0.1, c.precision);
  scene.simulation.gravity = {0, 0, 0};
  scene.simulation.fused = c.fused;
  scene.simulation.reproducible = true;
  scene.materials = {elastic("jelly")};
  scene.time.dt_max = 1e-4;  // below the other bounds
  scene.bodies = {body("left", 0, sphere({-0.4, 0, 0}, 0.25)),
                  body("right", 0, sphere({0.35, 0.05, 0}, 0.2))};
  return scene;
}

// A square that is pressed, in steps as long as a frame: 4 iterations of Newton's method are too
// few for most of them.
inline Scene hardly_solved_square() {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {0, 0, 0};
  scene.simulation.integrator = Integrator::kOptimization;
  scene.simulation.fps = 20;
  scene.time.dt_max = 0.05;
  scene.implicit.tolerance = 1e-7;
  scene.implicit.max_iterations = 4;
  scene.materials = {elastic("jelly", MaterialModel::kNeoHookean, 1e4)};
  scene.bodies = {body("square", 0, box({0, 0, 0}, {0.5, 0.5, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.bodies[0].stretch = 0.8;
  return scene;
}

}  // namespace firn::test

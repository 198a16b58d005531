// A block that lands so hard that fixed corotated elasticity gives in.
#pragma once

#include "tests/support/sim_scenes.h"

namespace firn::test {

inline Scene hard_landing(MaterialModel model, double speed) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.fps = 20;
  scene.materials = {elastic("sponge"), elastic("jelly", model, 1e4)};
  scene.bodies = {body("block", 1, box({0, 0.1, 0}, {0.5, 0.6, 0}), {0, -speed, 0}),
                  body("beside", 0, box({1, 0.1, 0}, {1.2, 0.3, 0}))};
  scene.colliders = {collider("floor", ground(), BoundaryType::kSeparate, 0.3)};
  return scene;
}

}  // namespace firn::test

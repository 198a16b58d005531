// Scenes, and parts of them, that were built in code: their documents are read as those of files.
#include "src/scene/validate.h"

#include <fmt/format.h>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/scene/parse.h"
#include "src/scene/scene_document.h"

namespace firn {

void scene::validate_motion(const Scene& scene, std::size_t collider, const Keyframes& motion) {
  if (collider >= scene.colliders.size())
    throw Error(ErrorCategory::kScene,
                fmt::format("set_collider_motion: there is no collider {}; the scene has {}",
                            collider, scene.colliders.size()));
  if (const Collider& moved = scene.colliders[collider]; moved.dynamics)
    throw Error(ErrorCategory::kScene,
                fmt::format("collider \"{}\": material moves it, so it cannot follow key frames",
                            moved.name));
  Findings findings;
  ReadContext context{findings, scene.simulation.dimension};
  parse_motion(document_of(scene, motion, fmt::format("collider.{}.motion", collider)), context);
  findings.throw_if_any();
}

void validate(const Scene& scene) {
  scene::Findings findings;
  scene::ReadContext context{findings};
  context.may_be_empty = true;
  scene::parse_tree(scene::document_of(scene), context);
  findings.throw_if_any();
}

}  // namespace firn

// The other way round: the document of a scene that was made in code. What a file may not say then
// is found in it by the code that reads files, and there is no second list of checks.
#pragma once

#include <string>

#include "firn/scene.h"
#include "src/scene/document.h"

namespace firn::scene {

// Positions are paths of keys, as `--set` takes them: "body.0.shape.radius". Values that mean
// nothing in the scene, as the yield stress of a liquid or the settings of another integrator, are
// left out. Throws Error{kScene} where shapes are nested deeper than files nest.
Node document_of(const Scene& scene);

// The same of key frames for a collider of the scene, whose path is given.
Node document_of(const Scene& scene, const Keyframes& motion, const std::string& path);

}  // namespace firn::scene

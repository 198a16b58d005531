// The scene that a run goes on with: the one in its folder, which may have been edited, if the
// saved state is one of it. Pictures, files and the length of a run may change; what moves the
// material may not.
#pragma once

#include <string>

#include "firn/scene_file.h"

namespace firn::scene {

// Reads the scene file at `path`. `saved` is the resolved scene of the state that the run goes on
// from; where options say where a file of a shape is now, it is there in both. Throws as
// load_scene, and Error{kScene} with a finding for each key that the state depends on and that is
// not what it was.
Scene continue_scene(const std::string& path, const std::string& saved,
                     const SceneOptions& options);

// The scene at `path` as pictures and surfaces of its finished run are made anew by it: `options`
// may change what is shown. Throws as load_scene, and Error{kScene} for each key that would have
// moved the material otherwise, which is done.
Scene scene_afterwards(const std::string& path, const SceneOptions& options);

// The scene at `path`, of a run, for what needs its records alone: files of shapes may be missing.
Scene scene_of_records(const std::string& path);

}  // namespace firn::scene

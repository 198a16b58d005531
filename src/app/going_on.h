// What a run can go on with, and the command that does.
#pragma once

#include <map>
#include <string>

#include "firn/scene.h"

namespace firn::app {

// Throws Error{kScene} if the scene ends before `frame`, which the run has reached, or reads files
// that are no longer those of `files` (input_files).
void require_continuable(const Scene& scene, const std::map<std::string, std::string>& files,
                         int frame);

// "firn resume FOLDER", as a shell takes it.
std::string command_to_resume(const std::string& folder);

}  // namespace firn::app

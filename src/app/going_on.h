// What a run can go on with, and the command that does.
#pragma once

#include <map>
#include <string>

#include "firn/scene.h"
#include "src/app/options.h"
#include "src/io/run_directory.h"

namespace firn::app {

// Throws Error{kScene} if the scene ends before `frame`, which the run has reached, or reads files
// that are no longer those of `files` (input_files).
void require_continuable(const Scene& scene, const std::map<std::string, std::string>& files,
                         int frame);

// "firn resume FOLDER", as a shell takes it.
std::string command_to_resume(const std::string& folder);

// Goes on with the run in a folder from its last checkpoint, or the one that the options name, as
// the scene in `file` has it. Returns the exit code.
int go_on(const RunDirectory& directory, const std::string& file, const Options& options);

}  // namespace firn::app

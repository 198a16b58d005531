#include "src/app/going_on.h"

#include <fmt/format.h>

#include "firn/error.h"
#include "src/scene/input_files.h"

namespace firn::app {

void require_continuable(const Scene& scene, const std::map<std::string, std::string>& files,
                         int frame) {
  require_same_files(scene, files);
  if (scene.simulation.frames < frame)
    throw Error(ErrorCategory::kScene,
                fmt::format("simulation.frames = {}: the run is already at frame {}; give a larger "
                            "number with --frames, or an earlier checkpoint with --from",
                            scene.simulation.frames, frame));
}

std::string command_to_resume(const std::string& folder) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
  if (!folder.empty() && folder.find_first_not_of(kPlain) == folder.npos)
    return "firn resume " + folder;
  std::string quoted;
  for (const char c : folder) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "firn resume '" + quoted + "'";
}

}  // namespace firn::app

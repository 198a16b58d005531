// What `firn mesh`, `render` and `convert` tell of the frames that they go through: how far they
// are, on a terminal, and at the end what was made.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/app/options.h"
#include "src/app/progress.h"

namespace firn::app {

class RemadeFrames {
 public:
  RemadeFrames(const Options& options, std::size_t frames);

  Progress& progress() { return progress_; }
  void begin();  // once nothing can be wrong with what was asked for
  void made(int frame);
  void passed();             // one that needs nothing
  void left_out(int frame);  // as tell_left_out
  void warn(const std::string& text);
  bool none() const { return frames_.empty(); }

  // The end: `line` says it to a person, `what` were made in `folder` to a program (--json).
  void tell(const std::string& line, std::string_view what, const std::filesystem::path& folder);
  std::size_t count() const { return frames_.size(); }

 private:
  const bool json_, chosen_;
  const int of_;
  Progress progress_;
  std::vector<int> frames_;
};

}  // namespace firn::app

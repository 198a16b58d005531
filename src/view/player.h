// What the page steers a run by. All of it may be called on any thread and returns at once.
#pragma once

#include <string>
#include <vector>

namespace firn::view {

class Player {
 public:
  virtual ~Player() = default;
  virtual void play() = 0;
  virtual void pause() = 0;
  virtual void step() = 0;  // a single one, then a pause
  // Goes on from where the run is with these "key=value" in the scene, or with `again` begins it
  // anew. Throws Error{kScene}, and nothing has changed, for what the scene, or a run that goes on,
  // does not take.
  virtual void set(const std::vector<std::string>& assignments, bool again) = 0;
};

}  // namespace firn::view

// The one exception type of the library. Its category is the exit code of the command line.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace firn {

enum class ErrorCategory : int {
  kScene = 2,     // bad usage, or a scene that cannot mean anything
  kFile = 3,      // a file that cannot be read or written
  kDevice = 4,    // no such device, a failing device, out of memory
  kDiverged = 5,  // the simulation left the physical range; the last good frame is kept
};

// Where a simulation diverged, as far as it is known.
struct Divergence {
  std::int64_t step = 0;  // that failed, from 1 since the start; 0: the initial state
  double time = 0;        // s, at the end of that step; at its start if it was refused
  // The particle that is wrong. None where a step was refused for all of them: it would have had to
  // be too short, or a solve missed its tolerance.
  std::optional<std::uint32_t> particle;          // id
  std::optional<std::array<double, 3>> position;  // m; what is wrong may be just this
  // Of that particle, or the one that asks for too short a step; empty if no one material does.
  std::string material;
};

// `what()` says what is wrong, where, and how to mend it, in one line per finding.
class Error : public std::runtime_error {
 public:
  Error(ErrorCategory category, const std::string& message)
      : std::runtime_error(message), category_(category) {}
  Error(ErrorCategory category, const std::string& message, Divergence divergence)
      : Error(category, message) {
    divergence_ = std::make_shared<const Divergence>(std::move(divergence));
  }
  ErrorCategory category() const { return category_; }
  int exit_code() const { return static_cast<int>(category_); }
  // What `what()` says of a kDiverged, as data; null for other categories. It lives as long as the
  // error or a copy of it.
  const Divergence* divergence() const { return divergence_.get(); }

 private:
  ErrorCategory category_;
  std::shared_ptr<const Divergence> divergence_;  // shared: copies of exceptions must not throw
};

}  // namespace firn

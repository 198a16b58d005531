// The one exception type of the library. Its category is the exit code of the command line.
#pragma once

#include <stdexcept>
#include <string>

namespace firn {

enum class ErrorCategory : int {
  kScene = 2,     // bad usage, or a scene that cannot mean anything
  kFile = 3,      // a file that cannot be read or written
  kDevice = 4,    // no such device, a failing device, out of memory
  kDiverged = 5,  // the simulation left the physical range; the last good frame is kept
};

// `what()` says what is wrong, where, and how to mend it, in one line per finding.
class Error : public std::runtime_error {
 public:
  Error(ErrorCategory category, const std::string& message)
      : std::runtime_error(message), category_(category) {}
  ErrorCategory category() const { return category_; }
  int exit_code() const { return static_cast<int>(category_); }

 private:
  ErrorCategory category_;
};

}  // namespace firn

// Reading a file with a library that a damaged file brings down: first in a process of its own,
// whose end tells whether this one may do the same.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace firn {

struct TrialLimits {
  std::uint64_t memory = 0;  // bytes, beyond what this process has
  unsigned seconds = 0;      // of the processor; waiting may take ten times as long
};

// Calls `read` in a copy of this process that ends with the call, without destroying anything that
// `read` left to it. Empty if it returned; else why it did not: what it returned, or what ended the
// process. Threads of this process are not in the copy. Throws Error{kFile} where there can be no
// copy.
std::string try_in_copy(const TrialLimits& limits, const std::function<std::string()>& read);

}  // namespace firn

// From `--vary key=a,b,c` to the variants that `firn compare` runs.
#pragma once

#include <string>
#include <vector>

namespace firn::app {

struct Variant {
  std::vector<std::string> overrides;  // "key=value", one per --vary
  std::string label;                   // "type=flip, dx=0.01"
  std::string folder;                  // "type-flip_dx-0.01": unique among the variants
};

// All combinations, the first --vary varying slowest. Commas inside brackets, braces and quotes
// belong to the value. Throws Error{kScene} if a value is empty, there is no --vary, or there are
// absurdly many combinations.
std::vector<Variant> make_variants(const std::vector<std::string>& vary);

}  // namespace firn::app

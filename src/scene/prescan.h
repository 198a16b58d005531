// A look over TOML text before it is parsed, for what toml++ 3.3 does not survive: keys of
// thousands of dotted parts (its tree is recursive) and, outside strings and comments, characters
// beyond ASCII (undefined behaviour in its test for white space). TOML allows neither of any use.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace firn::scene {

struct TextProblem {
  unsigned line = 1, column = 1;
  std::string message;
};

std::optional<TextProblem> prescan(std::string_view text);

}  // namespace firn::scene

// A look over TOML text before it is parsed: for keys of thousands of dotted parts, which toml++
// 3.3 does not survive (its tree is recursive), and for characters beyond ASCII outside strings and
// comments, of which it does not say what is wrong. TOML allows neither of any use.
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

// A scanner that knows of TOML only where strings and comments start and end.
#include "src/scene/prescan.h"

#include <fmt/format.h>

#include <algorithm>

namespace firn::scene {
namespace {

constexpr unsigned kMostDots =
    32;  // toml++ nests at most 256 values: so its tree has at most 2^13 levels

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = line_start_ = 3;  // byte order mark
  }

  std::optional<TextProblem> run() {
    unsigned dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        if (static_cast<unsigned char>(c) >= 0x80) {
          return here(
              "only ASCII characters may stand outside strings and comments; put the key in "
              "quotes");
        }
        dots = c == '.' ? dots + 1 : (separates_keys(c) ? 0 : dots);
        if (dots > kMostDots)
          return here(fmt::format("a key has more than {} dotted parts", kMostDots));
        advance();
      }
    }
    return std::nullopt;
  }

 private:
  static bool separates_keys(char c) {
    return std::string_view("\n=,{}[]").find(c) != std::string_view::npos;
  }

  void advance() {
    if (at_ < text_.size() && text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }

  // Columns count characters, as toml++ does: bytes that do not continue a UTF-8 sequence.
  TextProblem here(std::string message) const {
    const std::string_view before = text_.substr(line_start_, at_ - line_start_);
    const auto characters =
        std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xc0) != 0x80; });
    return {line_, static_cast<unsigned>(characters) + 1, std::move(message)};
  }

  void skip_string(char quote) {
    const std::string fence(3, quote);
    const bool multi_line = text_.substr(at_, 3) == fence;
    at_ += multi_line ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        advance();
        advance();
      } else if (text_[at_] == '\n' && !multi_line) {
        return;  // not closed: toml++ will say so
      } else if (multi_line && text_.substr(at_, 3) == fence) {
        at_ += 3;
        // Up to two quotes before the closing three belong to the string.
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      } else if (!multi_line && text_[at_] == quote) {
        ++at_;
        return;
      } else {
        advance();
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  unsigned line_ = 1;
};

}  // namespace

std::optional<TextProblem> prescan(std::string_view text) { return Scanner(text).run(); }

}  // namespace firn::scene

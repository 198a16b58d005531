// Not by cxxopts, whose lines lose a last word of one letter.
#include "src/app/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "src/app/flag_info.h"

namespace firn::app {
namespace {

constexpr std::size_t kWidth = 100, kGap = 2;
constexpr std::size_t kLongest = 30;  // what is longer has a line of its own

// Lines of whole words.
std::vector<std::string_view> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string_view> lines;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == text.npos) end = std::min(text.find(' '), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!text.empty()) lines.push_back(text);
  return lines;
}

std::string usage_of(const FlagInfo& flag) {
  const std::string letter = flag.letter.empty() ? "    " : fmt::format("-{}, ", flag.letter);
  return fmt::format("  {}--{}{}{}", letter, flag.name, flag.argument.empty() ? "" : " ",
                     flag.argument);
}

}  // namespace

std::string help_of(const Command& command) {
  std::string text =
      fmt::format("{}\n\nUsage:\n  firn {} {}{}[FLAGS]\n\n", command.summary, command.name,
                  command.positional, command.positional.empty() ? "" : " ");
  std::vector<FlagInfo> flags = flags_of(command.name);
  flags.push_back({"help", "h", "", "print this help", {}});
  std::size_t longest = 0;
  for (const FlagInfo& flag : flags) longest = std::max(longest, usage_of(flag).size());
  const std::size_t column = std::min(longest, kLongest) + kGap;
  for (const FlagInfo& flag : flags) {
    std::string line = usage_of(flag);
    if (line.size() + kGap > column) line += fmt::format("\n{:{}}", "", column);
    line.resize(std::max(line.size(), column), ' ');
    for (const std::string_view part : wrapped(flag.help, kWidth - column)) {
      text += fmt::format("{}{}\n", line, part);
      line.assign(column, ' ');
    }
  }
  return text + fmt::format("\nExamples:\n{}", command.examples);
}

}  // namespace firn::app

#include "src/app/flag_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/error.h"
#include "src/app/flag_info.h"
#include "src/scene/findings.h"

namespace firn::app {
namespace {

[[noreturn]] void refuse(std::string_view command, const std::string& word) {
  std::vector<std::string> names{"--help"};
  for (const FlagInfo& flag : flags_of(command)) names.push_back("--" + flag.name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string name = word.substr(0, word.find('='));
  throw Error(ErrorCategory::kScene,
              fmt::format("unknown flag '{}'{}\n'firn {} --help' lists the flags", name,
                          scene::suggestion(name, known), command));
}

}  // namespace

void require_flags_are_whole(std::string_view command, const std::vector<std::string>& words) {
  const std::vector<FlagInfo> flags = flags_of(command);
  const auto find = [&](auto&& is_it) {
    const auto found = std::find_if(flags.begin(), flags.end(), is_it);
    return found == flags.end() ? nullptr : &*found;
  };
  const auto named = [&](const std::string& name) {
    return find([&](const FlagInfo& flag) { return flag.name == name; });
  };
  const auto lettered = [&](char letter) {
    return find([&](const FlagInfo& flag) { return flag.letter == std::string(1, letter); });
  };
  const auto is_switch = [&](char letter) {
    const FlagInfo* flag = lettered(letter);
    return letter == 'h' || (flag != nullptr && flag->argument.empty());
  };
  bool is_value = false;  // of the flag before
  for (const std::string& word : words) {
    if (std::exchange(is_value, false) || word.size() < 2 || word[0] != '-') continue;
    if (word[1] == '-') {
      const FlagInfo* flag = named(word.substr(2));
      is_value = flag != nullptr && !flag->argument.empty();
      continue;
    }
    const FlagInfo* first = lettered(word[1]);
    const bool takes_value = first != nullptr && !first->argument.empty();
    if (word.size() == 2) {
      is_value = takes_value;
      continue;
    }
    const bool lacks_dash = named(word.substr(1, word.find('=') - 1)) != nullptr;
    if (lacks_dash || !(takes_value || std::all_of(word.begin() + 1, word.end(), is_switch)))
      refuse(command, word);
  }
}

void require_no_flags(std::string_view command, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with("-")) refuse(command, word);
}

}  // namespace firn::app

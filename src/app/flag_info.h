// The flags of a command as data, for what prints them: completions of shells and the manual page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/app/options.h"

namespace firn::app {

struct FlagInfo {
  std::string name;                     // without dashes
  std::string letter;                   // "o"; empty: there is none
  std::string_view argument, help;      // the former empty: a switch
  std::vector<std::string_view> words;  // that the argument may be; none: anything of its kind

  bool takes_file() const { return argument == "FILE" || argument == "DIR"; }
};
std::vector<FlagInfo> flags_of(std::string_view command);

}  // namespace firn::app

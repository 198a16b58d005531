// What a command line gets wrong in its flags, before they are parsed and after. Both throw
// Error{kScene}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firn::app {

// '-threads' is '--threads' with a dash too few, not '-t', '-h' and so on: behind one dash all
// letters are switches, or the first one takes what follows.
void require_flags_are_whole(std::string_view command, const std::vector<std::string>& words);

// Of words that were taken for no flag.
void require_no_flags(std::string_view command, const std::vector<std::string>& words);

}  // namespace firn::app

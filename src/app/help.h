// What `firn COMMAND --help` prints.
#pragma once

#include <string>

#include "src/app/commands.h"

namespace firn::app {

std::string help_of(const Command& command);

}  // namespace firn::app

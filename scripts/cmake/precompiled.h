// What most files of the library and the command line include: FIRN_PRECOMPILE_HEADERS.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "firn/error.h"
#include "firn/scene.h"
#include "firn/simulation.h"

// JSON results of commands.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

namespace firn::app {

using Json = nlohmann::ordered_json;

// Names in a scene may be any bytes; a result must not fail because of one.
inline std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

inline void print_json(const Json& json) { fmt::print("{}", to_text(json)); }

}  // namespace firn::app

// What a file calls the things that a scene's indices lead to.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace firn {

// Of a body, source or collider: its name, or which one it is.
inline std::string name_or_number(const std::string& name, std::size_t index) {
  return name.empty() ? std::to_string(index) : name;
}

}  // namespace firn

namespace firn::scene {

// What an index says that does not lead to anything; no file can say it.
inline std::string stray(int index) { return fmt::format("index {}", index); }

// The same among things with names, none of which has it.
template <class T>
std::string stray(int index, const std::vector<T>& things) {
  std::string name = stray(index);
  const auto has_it = [&](const T& thing) { return thing.name == name; };
  while (std::any_of(things.begin(), things.end(), has_it)) name += '?';
  return name;
}

// What a file calls a thing that has no name.
template <class T>
std::string name_of(const T& thing, std::string_view kind, int index) {
  return thing.name.empty() ? fmt::format("{}{}", kind, index) : thing.name;
}
// Of the thing that an index leads to.
template <class T>
std::string name_at(int index, std::string_view kind, const std::vector<T>& things) {
  const bool known = index >= 0 && static_cast<std::size_t>(index) < things.size();
  return known ? name_of(things[static_cast<std::size_t>(index)], kind, index)
               : stray(index, things);
}

}  // namespace firn::scene

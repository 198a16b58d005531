// What the mesh readers share: a cursor over bytes that never runs past their end, and the checks
// on what was read.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "firn/error.h"
#include "src/scene/mesh.h"

namespace firn::mesh_file {

static_assert(std::endian::native == std::endian::little, "binary PLY and STL are read in place");

[[noreturn]] inline void fail(const std::string& origin, const std::string& reason) {
  throw Error(ErrorCategory::kFile, fmt::format("{}: {}", origin, reason));
}

inline void add_vertex(TriangleMesh& mesh, const Vec3& v, const std::string& origin) {
  for (double c : v)
    if (!std::isfinite(c))
      fail(origin, fmt::format("vertex {} has a coordinate that is not a finite number",
                               mesh.vertices.size()));
  if (mesh.vertices.size() >= std::numeric_limits<std::uint32_t>::max())
    fail(origin, "more than 2^32 - 1 vertices");
  mesh.vertices.push_back(v);
}

inline const TriangleMesh& checked(const TriangleMesh& mesh, const std::string& origin) {
  if (mesh.triangles.empty()) fail(origin, "holds no triangle");
  for (const auto& t : mesh.triangles)
    for (std::uint32_t i : t)
      if (i >= mesh.vertices.size())
        fail(origin, fmt::format("a face uses vertex {} (counted from 0), but there are only {}", i,
                                 mesh.vertices.size()));
  return mesh;
}

// Reads tokens and little-endian numbers from the front of what is left.
class Cursor {
 public:
  Cursor(std::string_view rest, const std::string& origin) : rest_(rest), origin_(origin) {}

  std::size_t left() const { return rest_.size(); }

  std::string_view line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view result = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!result.empty() && result.back() == '\r') result.remove_suffix(1);
    return result;
  }

  // The next word, empty at the end.
  std::string_view word() {
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size()));
    const std::string_view result = rest_.substr(0, rest_.find_first_of(kSpace));
    rest_.remove_prefix(result.size());
    return result;
  }

  double number() {
    std::string_view token = word();
    if (token.empty()) fail(origin_, "ends in the middle of its data");
    const std::string_view digits = token[0] == '+' ? token.substr(1) : token;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      fail(origin_, fmt::format("'{}' stands where a number belongs", printable(token)));
    return value;
  }

  template <class T>
  T binary() {
    if (rest_.size() < sizeof(T)) fail(origin_, "ends in the middle of its data");
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }

  void skip(std::size_t bytes) { rest_.remove_prefix(std::min(bytes, rest_.size())); }

  static std::string printable(std::string_view s) {
    std::string result(s.substr(0, 40));
    for (char& c : result)
      if (c < ' ' || c > '~') c = '?';
    return result;
  }

 private:
  std::string_view rest_;
  const std::string& origin_;
};

}  // namespace firn::mesh_file

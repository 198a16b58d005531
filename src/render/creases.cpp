#include "src/render/creases.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace firn {
namespace {

constexpr float kSmooth = 0.766f;  // cosine of 40 degrees
constexpr float kFlat = 1e-5f;     // of a triangle that faces nowhere: its height over its length

V3f unit(const V3f& v) {
  const float length = norm(v);
  return length > 0 ? v * (1 / length) : v;
}

// By the place of each vertex, counted from 0.
std::vector<std::uint32_t> places_of(const std::vector<V3f>& positions) {
  const auto before = [&](std::uint32_t i, std::uint32_t j) {
    const V3f &a = positions[i], &b = positions[j];
    return std::lexicographical_compare(&a[0], &a[0] + 3, &b[0], &b[0] + 3);
  };
  std::vector<std::uint32_t> order(positions.size()), place(positions.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), before);
  std::uint32_t count = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && before(order[k - 1], order[k])) ++count;
    place[order[k]] = count;
  }
  return place;
}

}  // namespace

void add_creased_normals(Mesh& mesh) {
  const std::size_t corners = mesh.indices.size();
  const std::vector<std::uint32_t> place = places_of(mesh.positions);
  std::vector<V3f> facing(corners / 3);
  std::vector<float> angle(corners);
  for (std::size_t t = 0; t < facing.size(); ++t) {
    const auto at = [&](std::size_t k) { return mesh.positions[mesh.indices[3 * t + k % 3]]; };
    const V3f across = cross(at(1) - at(0), at(2) - at(0));
    const float longest = std::max({norm(at(1) - at(0)), norm(at(2) - at(1)), norm(at(0) - at(2))});
    facing[t] = norm(across) > kFlat * longest * longest ? unit(across) : V3f::zero();
    for (std::size_t k = 0; k < 3; ++k)
      angle[3 * t + k] =
          std::acos(std::clamp(dot(unit(at(k + 1) - at(k)), unit(at(k + 2) - at(k))), -1.0f, 1.0f));
  }
  std::vector<std::uint32_t> first(mesh.positions.size() + 1, 0), about(corners);
  for (const std::uint32_t v : mesh.indices) ++first[place[v] + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::size_t c = 0; c < corners; ++c)
    about[next[place[mesh.indices[c]]]++] = static_cast<std::uint32_t>(c);
  std::vector<V3f> positions(corners), normals(corners);
  for (std::size_t c = 0; c < corners; ++c) {
    const V3f& own = facing[c / 3];
    const std::uint32_t at = place[mesh.indices[c]];
    const bool has_area = norm(own) > 0;
    V3f sum = V3f::zero();
    for (std::uint32_t k = first[at]; k < first[at + 1]; ++k)
      if (!has_area || dot(facing[about[k] / 3], own) >= kSmooth)
        sum += facing[about[k] / 3] * angle[about[k]];
    positions[c] = mesh.positions[mesh.indices[c]];
    normals[c] = unit(sum);
  }
  mesh.positions = std::move(positions);
  mesh.normals = std::move(normals);
  std::iota(mesh.indices.begin(), mesh.indices.end(), 0u);
}

}  // namespace firn

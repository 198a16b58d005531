#include "src/surface/slivers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "kernels/math/vec.h"

namespace firn {
namespace {

using V3 = Vec<double, 3>;

// In voxels: so low is a triangle without area, and so far may a face be shifted.
constexpr double kFlat = 0.01, kShift = 0.02;

class Slivers {
 public:
  Slivers(SurfaceMesh& mesh, double voxel)
      : mesh_(mesh), voxel_(voxel), is_gone_(mesh.triangles.size() / 3, 0) {}

  void collapse() {
    std::vector<std::uint32_t> flat;
    for (std::uint32_t t = 0; t < is_gone_.size(); ++t)
      if (is_flat(t)) flat.push_back(t);
    if (flat.empty()) return;
    find_triangles();
    constexpr int kPasses = 3;  // a collapse may let another one
    for (int pass = 0; pass < kPasses; ++pass) {
      const std::size_t before = flat.size();
      std::erase_if(flat, [&](std::uint32_t t) {
        return is_gone_[t] != 0 || !is_flat(t) || collapse_edge_of(t);
      });
      if (flat.size() == before) break;
    }
    compact();
  }

 private:
  std::uint32_t corner(std::uint32_t t, std::size_t k) const {
    return mesh_.triangles[3 * std::size_t{t} + k];
  }
  bool has(std::uint32_t t, std::uint32_t v) const {
    return corner(t, 0) == v || corner(t, 1) == v || corner(t, 2) == v;
  }
  V3 place(std::uint32_t v) const {
    const float* x = &mesh_.positions[3 * std::size_t{v}];
    return {{x[0], x[1], x[2]}};
  }
  // Twice its area along its normal, were vertex `moved` at x.
  V3 area(std::uint32_t t, std::uint32_t moved, const V3& x) const {
    std::array<V3, 3> at;
    for (std::size_t k = 0; k < 3; ++k) at[k] = corner(t, k) == moved ? x : place(corner(t, k));
    return cross(at[1] - at[0], at[2] - at[0]);
  }
  bool is_flat(std::uint32_t t) const {
    double longest = 0;
    for (std::size_t k = 0; k < 3; ++k)
      longest = std::max(longest, norm(place(corner(t, (k + 1) % 3)) - place(corner(t, k))));
    return norm(area(t, corner(t, 0), place(corner(t, 0)))) <= kFlat * voxel_ * longest;
  }

  void find_triangles() {
    first_.assign(mesh_.vertices() + 1, 0);
    list_.resize(mesh_.triangles.size());
    for (const std::uint32_t v : mesh_.triangles) ++first_[v + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t c = 0; c < mesh_.triangles.size(); ++c)
      list_[next[mesh_.triangles[c]]++] = static_cast<std::uint32_t>(c / 3);
  }
  std::vector<std::uint32_t> triangles_of(std::uint32_t v) const {
    std::vector<std::uint32_t> found;
    const auto add = [&](std::uint32_t t) {
      if (is_gone_[t] == 0 && has(t, v)) found.push_back(t);
    };
    for (std::uint32_t k = first_[v]; k < first_[v + 1]; ++k) add(list_[k]);
    if (const auto more = taken_over_.find(v); more != taken_over_.end())
      for (const std::uint32_t t : more->second) add(t);
    return found;
  }
  std::vector<std::uint32_t> neighbours(std::uint32_t v) const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t t : triangles_of(v))
      for (std::size_t k = 0; k < 3; ++k)
        if (corner(t, k) != v) found.push_back(corner(t, k));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  bool collapse_edge_of(std::uint32_t t) {
    std::array<std::size_t, 3> edges{0, 1, 2};
    const auto length = [&](std::size_t k) {
      return norm(place(corner(t, (k + 1) % 3)) - place(corner(t, k)));
    };
    std::sort(edges.begin(), edges.end(),
              [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
    for (const std::size_t k : {edges[0], edges[1]}) {
      const std::uint32_t a = corner(t, k), b = corner(t, (k + 1) % 3);
      if (!stays_closed(a, b)) continue;
      for (const auto& [kept, moved] : {std::pair{a, b}, std::pair{b, a}})
        if (stays_in_place(kept, moved)) {
          join(kept, moved);
          return true;
        }
    }
    return false;
  }
  // Two triangles have the edge, and nothing else is shared by its ends.
  bool stays_closed(std::uint32_t a, std::uint32_t b) const {
    const std::vector<std::uint32_t> of_a = neighbours(a), of_b = neighbours(b);
    std::vector<std::uint32_t> shared;
    std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                          std::back_inserter(shared));
    return shared.size() == 2;
  }
  bool stays_in_place(std::uint32_t kept, std::uint32_t moved) const {
    const V3 to = place(kept), from = place(moved);
    for (const std::uint32_t t : triangles_of(moved)) {
      const V3 before = area(t, moved, from);
      const double size = norm(before);
      if (is_flat(t)) continue;
      if (std::abs(dot(before, to - from)) > kShift * voxel_ * size) return false;
      if (has(t, kept)) continue;  // it goes
      const V3 after = area(t, moved, to);
      if (!(dot(before, after) > 0)) return false;
    }
    return true;
  }
  void join(std::uint32_t kept, std::uint32_t moved) {
    std::vector<std::uint32_t>& more = taken_over_[kept];
    for (const std::uint32_t t : triangles_of(moved)) {
      if (has(t, kept)) {
        is_gone_[t] = 1;
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k)
        if (corner(t, k) == moved) mesh_.triangles[3 * std::size_t{t} + k] = kept;
      more.push_back(t);
    }
  }

  void compact() {
    std::size_t corners = 0;
    for (std::uint32_t t = 0; t < is_gone_.size(); ++t)
      for (std::size_t k = 0; k < 3 && is_gone_[t] == 0; ++k)
        mesh_.triangles[corners++] = corner(t, k);
    mesh_.triangles.resize(corners);
    std::vector<std::uint32_t> number(mesh_.vertices(), 0);
    for (const std::uint32_t v : mesh_.triangles) number[v] = 1;
    std::uint32_t kept = 0;
    for (std::size_t v = 0; v < number.size(); ++v) {
      if (number[v] == 0) continue;
      std::copy_n(&mesh_.positions[3 * v], 3, &mesh_.positions[3 * std::size_t{kept}]);
      number[v] = kept++;
    }
    mesh_.positions.resize(3 * std::size_t{kept});
    for (std::uint32_t& v : mesh_.triangles) v = number[v];
  }

  SurfaceMesh& mesh_;
  double voxel_;
  std::vector<char> is_gone_;                // by triangle
  std::vector<std::uint32_t> first_, list_;  // triangles of each vertex as the mesh came
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> taken_over_;
};

}  // namespace

void collapse_slivers(SurfaceMesh& mesh, double voxel) { Slivers(mesh, voxel).collapse(); }

}  // namespace firn

#include "src/surface/unit_sphere.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace firn {

SurfaceMesh unit_sphere(int divisions) {
  constexpr float a = 0.5257311f, b = 0.8506508f;
  SurfaceMesh mesh;
  mesh.positions = {-a, 0,  b, a, 0,  b,  -a, 0, -b, a,  0, -b, 0, b,  a, 0,  b,  -a,
                    0,  -b, a, 0, -b, -a, b,  a, 0,  -b, a, 0,  b, -a, 0, -b, -a, 0};
  mesh.triangles = {1, 4,  0, 4, 9, 0,  4, 5, 9,  8, 5, 4,  1,  8,  4, 1, 10, 8,  10, 3,
                    8, 8,  3, 5, 3, 2,  5, 3, 7,  2, 3, 10, 7,  10, 6, 7, 6,  11, 7,  6,
                    0, 11, 6, 1, 0, 10, 1, 6, 11, 0, 9, 2,  11, 9,  5, 2, 9,  11, 2,  7};
  for (; divisions > 0; --divisions) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t i, std::uint32_t j) {
      const auto [at, is_new] = middles.try_emplace({std::min(i, j), std::max(i, j)},
                                                    static_cast<std::uint32_t>(mesh.vertices()));
      if (is_new) {
        const float *x = &mesh.positions[3 * std::size_t{i}],
                    *y = &mesh.positions[3 * std::size_t{j}];
        const double sum[] = {double{x[0]} + y[0], double{x[1]} + y[1], double{x[2]} + y[2]};
        const double length = std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        for (const double c : sum) mesh.positions.push_back(static_cast<float>(c / length));
      }
      return at->second;
    };
    std::vector<std::uint32_t> finer;
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
      const std::uint32_t i = mesh.triangles[t], j = mesh.triangles[t + 1],
                          k = mesh.triangles[t + 2];
      const std::uint32_t ij = middle(i, j), jk = middle(j, k), ki = middle(k, i);
      finer.insert(finer.end(), {i, ij, ki, ij, j, jk, ki, jk, k, ij, jk, ki});
    }
    mesh.triangles = std::move(finer);
  }
  return mesh;
}

}  // namespace firn

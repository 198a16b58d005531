#include "src/surface/pieces.h"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "kernels/math/vec.h"

namespace firn {

Pieces pieces_of(const SurfaceMesh& mesh) {
  using V3 = Vec<double, 3>;
  std::vector<std::uint32_t> root(mesh.vertices());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (t % 3 != 2) root[find(mesh.triangles[t])] = find(mesh.triangles[t + 1]);
  for (std::uint32_t i = 0; i < root.size(); ++i) root[i] = find(i);
  const auto vertex = [&](std::uint32_t i) {
    const float* x = &mesh.positions[3 * std::size_t{i}];
    return V3{{x[0], x[1], x[2]}};
  };
  std::vector<double> volume(mesh.vertices(), 0);
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
    const std::uint32_t piece = root[mesh.triangles[t]];
    const V3 origin = vertex(piece);
    volume[piece] +=
        dot(vertex(mesh.triangles[t]) - origin,
            cross(vertex(mesh.triangles[t + 1]) - origin, vertex(mesh.triangles[t + 2]) - origin)) /
        6;
  }
  return {std::move(root), std::move(volume)};
}

void keep_pieces(SurfaceMesh& mesh, const Pieces& pieces, const std::vector<char>& is_kept) {
  std::vector<std::uint32_t> number(mesh.vertices());
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < number.size(); ++i) {
    number[i] = kept;
    if (!is_kept[pieces.of_vertex[i]]) continue;
    for (std::size_t a = 0; a < 3; ++a)
      mesh.positions[3 * std::size_t{kept} + a] = mesh.positions[3 * std::size_t{i} + a];
    ++kept;
  }
  if (kept == number.size()) return;
  std::size_t corners = 0;
  for (const std::uint32_t corner : mesh.triangles)
    if (is_kept[pieces.of_vertex[corner]]) mesh.triangles[corners++] = number[corner];
  mesh.triangles.resize(corners);
  mesh.positions.resize(3 * std::size_t{kept});
}

void drop_crumbs(SurfaceMesh& mesh, double least) {
  const Pieces pieces = pieces_of(mesh);
  std::vector<char> is_kept(mesh.vertices());
  for (std::size_t i = 0; i < is_kept.size(); ++i) is_kept[i] = std::abs(pieces.volume[i]) >= least;
  keep_pieces(mesh, pieces, is_kept);
}

}  // namespace firn

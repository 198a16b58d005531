#if defined(FIRN_WITH_OPENVDB)
#include "src/surface/wall_contact.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/exec/parallel_for.h"
#include "src/surface/pieces.h"

namespace firn {
namespace {

using V3 = Walls::V3;

V3 vertex(const SurfaceMesh& mesh, std::uint32_t i) {
  const float* x = &mesh.positions[3 * std::size_t{i}];
  return {{x[0], x[1], x[2]}};
}

void place(SurfaceMesh& mesh, std::uint32_t i, const V3& x) {
  float* own = &mesh.positions[3 * std::size_t{i}];
  for (int a = 0; a < 3; ++a) own[a] = static_cast<float>(x[a]);
}

Walls::Set walls_about(const LevelSet& set, const V3& x) {
  return set.walls_near(
      {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])});
}

// In voxels: what is so near lies on a wall.
constexpr double kOn = 0.02;

// An edge of the mesh between two sides of a wall, or of two walls.
struct Across {
  std::uint32_t from, to;
};

std::vector<Across> edges_across(const SurfaceMesh& mesh, const std::vector<V3>& normals) {
  // Cosines between sides that are one, and that never meet.
  constexpr double kSame = 0.9, kOpposite = -0.7;
  std::vector<Across> across;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::uint32_t i = mesh.triangles[t], j = mesh.triangles[t % 3 == 2 ? t - 2 : t + 1];
    if (i > j || norm(normals[i]) == 0 || norm(normals[j]) == 0) continue;
    const double cosine = dot(normals[i], normals[j]);
    if (cosine < kSame && cosine > kOpposite) across.push_back({i, j});
  }
  return across;
}

// The point of the planes through a and b that is nearest to their middle.
V3 where_they_meet(const V3& a, const V3& normal_a, const V3& b, const V3& normal_b) {
  const V3 middle = 0.5 * (a + b);
  const double cosine = dot(normal_a, normal_b), part = 1 / (1 - cosine * cosine);
  const double off_a = dot(normal_a, a - middle), off_b = dot(normal_b, b - middle);
  return middle + normal_a * (part * (off_a - cosine * off_b)) +
         normal_b * (part * (off_b - cosine * off_a));
}

// Such an edge leaves the wall or cuts through it, unless one of its ends lies where they meet: the
// nearer goes there. Of a corner several do, of which one end may have a part each time.
void follow_edges(SurfaceMesh& mesh, const LevelSet& set, const std::vector<V3>& normals) {
  constexpr int kRounds = 3;
  constexpr double kFarthest = 2;  // voxels: an edge of one, and what its ends were in the wall
  const std::vector<Across> across = edges_across(mesh, normals);
  if (across.empty()) return;
  std::vector<V3> way(mesh.vertices());
  std::vector<int> count(mesh.vertices());
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& [i, j] : across) way[i] = way[j] = V3::zero(), count[i] = count[j] = 0;
    for (const auto& [i, j] : across) {
      const V3 a = vertex(mesh, i), b = vertex(mesh, j);
      const double off_b = std::abs(dot(normals[j], a - b)),
                   off_a = std::abs(dot(normals[i], a - b));
      if (std::min(off_a, off_b) < kOn * set.voxel()) continue;
      const V3 meet = where_they_meet(a, normals[i], b, normals[j]);
      const bool first = norm(meet - a) < norm(meet - b);
      const V3 step = meet - (first ? a : b);
      if (norm(step) > kFarthest * set.voxel()) continue;
      way[first ? i : j] += step;
      ++count[first ? i : j];
    }
    for (const auto& edge : across)
      for (const std::uint32_t i : {edge.from, edge.to}) {
        if (count[i] == 0) continue;
        const V3 x = vertex(mesh, i) + way[i] * (1.0 / count[i]);
        place(mesh, i, set.walls().pushed_out(walls_about(set, x), x));
        count[i] = 0;
      }
  }
}

// Pieces all of whose vertices lie on walls and that enclose nothing: what a gap within a wall has
// left, which is flat now.
void drop_buried(SurfaceMesh& mesh, const std::vector<char>& is_on, double voxel) {
  const Pieces pieces = pieces_of(mesh);
  std::vector<char> is_free(mesh.vertices(), 0);
  std::vector<double> flat(mesh.vertices(), 0);
  for (std::uint32_t i = 0; i < mesh.vertices(); ++i) {
    const std::uint32_t piece = pieces.of_vertex[i];
    if (!is_on[i]) is_free[piece] = 1;
    flat[piece] += kOn * std::pow(voxel, 3);  // of a vertex's share of the surface
  }
  for (std::uint32_t i = 0; i < mesh.vertices(); ++i)
    if (std::abs(pieces.volume[i]) > flat[i]) is_free[i] = 1;
  keep_pieces(mesh, pieces, is_free);
}

}  // namespace

double push_out_of_walls(SurfaceMesh& mesh, const LevelSet& set) {
  if (set.walls().none() || mesh.vertices() == 0) return 0;
  // In voxels: what is so near to a wall follows its edges.
  constexpr double kFollows = 0.5;
  const Walls& walls = set.walls();
  std::vector<V3> normals(mesh.vertices(), V3::zero());  // of the walls that vertices are beside
  std::vector<char> is_on(mesh.vertices(), 0);
  parallel_for(mesh.vertices(), 0, [&](std::size_t i) {
    const auto at = static_cast<std::uint32_t>(i);
    const V3 x = vertex(mesh, at);
    const Walls::Set near = walls_about(set, x);
    double away;
    const int wall = walls.nearest(near, x, away);
    if (wall < 0 || away > kFollows * set.voxel()) return;
    normals[i] = walls.normal(wall, x);
    is_on[i] = away < kOn * set.voxel();
    if (away < 0) place(mesh, at, walls.pushed_out(near, x));
  });
  follow_edges(mesh, set, normals);
  const auto wet = static_cast<double>(std::count(is_on.begin(), is_on.end(), 1));
  const double part = wet / static_cast<double>(mesh.vertices());
  drop_buried(mesh, is_on, set.voxel());
  return part;
}

std::vector<char> vertices_on_walls(const SurfaceMesh& mesh, const LevelSet& set) {
  if (set.walls().none()) return {};
  std::vector<char> is_on(mesh.vertices());
  parallel_for(mesh.vertices(), 0, [&](std::size_t i) {
    const V3 x = vertex(mesh, static_cast<std::uint32_t>(i));
    is_on[i] = set.walls().distance(walls_about(set, x), x) < kOn * set.voxel();
  });
  return is_on;
}

}  // namespace firn
#endif

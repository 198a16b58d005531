// From triangles to a sparse signed-distance grid. Of a solid OpenVDB finds the unsigned distances
// in a band, and the winding number gives the sign and closes holes; of a shell the band lies
// around a surface of its own and is found from above. NanoVDB is what kernels read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "src/scene/mesh.h"
#include "src/scene/winding_number.h"

#if defined(FIRN_WITH_OPENVDB)
#if __has_include(<nanovdb/tools/CreateNanoGrid.h>)  // later than OpenVDB 10
#define NANOVDB_USE_OPENVDB
#include <nanovdb/tools/CreateNanoGrid.h>
#else
#include <nanovdb/util/OpenToNanoVDB.h>
#endif
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tree/LeafManager.h>
#endif

namespace firn {

#if defined(FIRN_WITH_OPENVDB)
namespace {

using Vector = Vec<double, 3>;
using Leaf = openvdb::FloatTree::LeafNodeType;

constexpr float kHalfBand = 8;  // voxels = 4 grid cells: kernels ask within 3 cells of the surface
constexpr int kBlock = Leaf::DIM;     // voxels per side of a leaf
constexpr double kMostVoxels = 4096;  // per side; a dense surface of that size would fill 4 GB

// The same mesh in voxels, counted from `origin`.
TriangleMesh in_index_space(const TriangleMesh& mesh, double voxel_size, MeshGrid& grid) {
  TriangleMesh result = mesh;
  Vec3 lo = mesh.vertices[mesh.triangles[0][0]], hi = lo;
  for (const auto& t : mesh.triangles)
    for (std::uint32_t corner : t)
      for (int i = 0; i < 3; ++i) {
        lo[i] = std::min(lo[i], mesh.vertices[corner][i]);
        hi[i] = std::max(hi[i], mesh.vertices[corner][i]);
      }
  for (Vec3& v : result.vertices)
    for (int i = 0; i < 3; ++i) v[i] = (v[i] - lo[i]) / voxel_size;
  grid.voxel_size = voxel_size;
  grid.origin = lo;
  for (int i = 0; i < 3; ++i) grid.index_max[i] = (hi[i] - lo[i]) / voxel_size;
  return result;
}

openvdb::FloatGrid::Ptr unsigned_distances(const TriangleMesh& mesh) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  points.reserve(mesh.vertices.size());
  triangles.reserve(mesh.triangles.size());
  for (const Vec3& v : mesh.vertices)
    points.emplace_back(static_cast<float>(v[0]), static_cast<float>(v[1]),
                        static_cast<float>(v[2]));
  for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  return openvdb::tools::meshToUnsignedDistanceField<openvdb::FloatGrid>(
      *openvdb::math::Transform::createLinearTransform(1.0), points, triangles, {}, kHalfBand);
}

// Signs of a mesh, and the distance to the caps that close its holes.
class Inside {
 public:
  Inside(const TriangleMesh& mesh, const MeshReport& report)
      : winding_(mesh), side_(report.inside_out ? -1 : 1), capped_(!report.watertight) {}

  // OpenVDB hands nearest triangles from voxel to voxel and so may miss the nearest one by a third
  // of a voxel.
  float nearest(const Vector& x, float bound) const {
    return static_cast<float>(winding_.nearest(x, static_cast<double>(bound)));
  }

  // `d` voxels from the surface, signed, but no further than the nearest cap: the level set w =
  // 1/2, whose distance is |w - 1/2| / |grad w| to first order. Closed meshes have w = 0 or 1 and
  // no cap.
  float signed_distance(const Vector& x, float d) const {
    const double above = side_ * winding_.at(x) - 0.5;
    double to_surface = d;
    if (capped_ && d > 1 && std::abs(above) < kCapReach) {
      const double slope = norm(winding_.gradient(x));
      if (std::abs(above) < to_surface * slope) to_surface = std::abs(above) / slope;
    }
    return static_cast<float>(above > 0 ? -to_surface : to_surface);
  }

 private:
  // On the axis of a round hole of radius a, z from its cap, |w - 1/2| = z / (2 sqrt(z^2 + a^2)),
  // and the estimate z (1 + z^2/a^2) undercuts the distance to the rim only while |w - 1/2| < 0.31.
  static constexpr double kCapReach = 0.4;
  WindingNumber winding_;
  double side_;
  bool capped_;
};

// The voxel before number i along z, or y, or x, as a difference of numbers; 0 for the first.
openvdb::Index step_back(openvdb::Index i) {
  return i % kBlock != 0 ? 1 : i % (kBlock * kBlock) != 0 ? kBlock : i != 0 ? kBlock * kBlock : 0;
}

// In a closed mesh two neighbours lie on the same side if no surface fits between them: most voxels
// need no query.
void sign_leaf(Leaf& leaf, const Inside& inside, bool watertight) {
  for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) {
    const openvdb::Coord at = leaf.offsetToGlobalCoord(i);
    const Vector x = {{double(at[0]), double(at[1]), double(at[2])}};
    const float d = leaf.isValueOn(i) ? inside.nearest(x, leaf.getValue(i)) : kHalfBand;
    const float before = leaf.getValue(i - step_back(i));
    float value;
    if (watertight && i > 0 && d + std::abs(before) > 1.01f) {
      value = std::copysign(d, before);
    } else {
      value = inside.signed_distance(x, d);
    }
    if (std::abs(value) < kHalfBand)
      leaf.setValueOn(i, value);
    else
      leaf.setValueOff(i, std::copysign(kHalfBand, value));
  }
}

// Blocks without a surface are wholly inside or outside, unless a cap runs through them.
void fill_blocks(openvdb::FloatTree& tree, const MeshGrid& grid, const Inside& inside) {
  const double half_diagonal = 0.5 * std::sqrt(3.0) * kBlock;
  openvdb::Coord last;
  for (int i = 0; i < 3; ++i) last[i] = static_cast<int>(grid.index_max[i]);
  openvdb::Coord at;
  for (at[0] = 0; at[0] <= last[0]; at[0] += kBlock)
    for (at[1] = 0; at[1] <= last[1]; at[1] += kBlock)
      for (at[2] = 0; at[2] <= last[2]; at[2] += kBlock) {
        if (tree.probeConstLeaf(at) != nullptr) continue;
        const Vector centre = {
            {at[0] + 0.5 * (kBlock - 1), at[1] + 0.5 * (kBlock - 1), at[2] + 0.5 * (kBlock - 1)}};
        const double reach = kHalfBand + 2 * half_diagonal;  // the estimate is of first order
        const float d = inside.signed_distance(centre, static_cast<float>(reach));
        if (std::abs(d) < reach)
          sign_leaf(*tree.touchLeaf(at), inside, false);
        else if (d < 0)
          tree.addTile(1, at, -kHalfBand, false);
      }
}

// All that lies within `half` voxels of the triangles.
class Shell {
 public:
  Shell(const TriangleMesh& mesh, double half) : triangles_(mesh), half_(half) {}

  // The blocks from `low` to `high`, counted in blocks: those that the band reaches become leaves,
  // those inside of it tiles.
  void add_blocks(const openvdb::Coord& low, const openvdb::Coord& high,
                  openvdb::FloatTree& tree) const {
    Vector middle, extent;
    int longest = 0;
    for (int i = 0; i < 3; ++i) {
      if (low[i] >= high[i]) return;
      extent[i] = kBlock * (high[i] - low[i]) - 1;
      middle[i] = kBlock * low[i] + 0.5 * extent[i];
      if (high[i] - low[i] > high[longest] - low[longest]) longest = i;
    }
    const double reach = kHalfBand + 0.5 * norm(extent);
    const double d = triangles_.nearest(middle, half_ + reach) - half_;
    if (d >= reach) return;
    if (d <= -reach) {
      const openvdb::CoordBBox box(first_voxel(low), first_voxel(high) - openvdb::Coord(1));
      return tree.fill(box, -kHalfBand, false);
    }
    if (high[longest] - low[longest] == 1) {
      tree.touchLeaf(first_voxel(low));
      return;
    }
    openvdb::Coord split_high = high, split_low = low;
    split_high[longest] = split_low[longest] = low[longest] + (high[longest] - low[longest]) / 2;
    add_blocks(low, split_high, tree);
    add_blocks(split_low, high, tree);
  }

  // From one voxel to the next the distance grows by one at most: a close bound for the search.
  void fill(Leaf& leaf) const {
    float before = kHalfBand;
    for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) {
      const openvdb::Coord at = leaf.offsetToGlobalCoord(i);
      if (i > 0) before = leaf.getValue(i - step_back(i));
      const double bound = half_ + std::min<double>(before + 1.01f, kHalfBand);
      const Vector x = {{double(at[0]), double(at[1]), double(at[2])}};
      const auto d = static_cast<float>(triangles_.nearest(x, bound) - half_);
      if (std::abs(d) < kHalfBand)
        leaf.setValueOn(i, d);
      else
        leaf.setValueOff(i, std::copysign(kHalfBand, d));
    }
  }

 private:
  static openvdb::Coord first_voxel(const openvdb::Coord& block) { return block << Leaf::LOG2DIM; }

  WindingNumber triangles_;
  double half_;
};

GridBytes to_nano(const openvdb::FloatGrid& grid) {
#if __has_include(<nanovdb/tools/CreateNanoGrid.h>)
  const auto handle = nanovdb::tools::createNanoGrid(grid, nanovdb::tools::StatsMode::Disable,
                                                     nanovdb::CheckMode::Disable);
#else
  const auto handle =
      nanovdb::openToNanoVDB(grid, nanovdb::StatsMode::Disable, nanovdb::ChecksumMode::Disable);
#endif
  const auto* bytes = reinterpret_cast<const std::byte*>(handle.data());
  GridBytes result(bytes, bytes + handle.size());
  // Grids of several meshes stand one after another, each aligned.
  result.resize((result.size() + kMeshGridAlignment - 1) / kMeshGridAlignment * kMeshGridAlignment);
  return result;
}

double longest_side(const MeshGrid& grid) {
  return *std::max_element(grid.index_max.begin(), grid.index_max.end());
}

// Of a shell `half` > 0 voxels lie on each side of the triangles.
void require_size(const MeshGrid& solid, double half, const std::string& name) {
  const double side = longest_side(solid) + (half > 0 ? 2 * (half + kHalfBand) : 0);
  if (side < kMostVoxels) return;
  throw Error(
      ErrorCategory::kScene,
      fmt::format(
          "{}: the mesh is {:.0f} voxels across, more than {:.0f}; check its units, or use size, "
          "scale or a larger grid.dx",
          name, side, kMostVoxels));
}

}  // namespace

void require_grid_size(const TriangleMesh& mesh, const std::string& name, double voxel_size,
                       double thickness) {
  MeshGrid grid;
  in_index_space(mesh, voxel_size, grid);
  require_size(grid, 0.5 * thickness / voxel_size, name);
}

MeshGrid mesh_to_grid(const TriangleMesh& mesh, const std::string& name, double voxel_size) {
  MeshGrid result;
  const TriangleMesh scaled = in_index_space(mesh, voxel_size, result);
  require_size(result, 0, name);
  openvdb::initialize();
  const openvdb::FloatGrid::Ptr grid = unsigned_distances(scaled);
  const MeshReport report = inspect(mesh, name);
  const Inside inside(scaled, report);
  openvdb::tree::LeafManager<openvdb::FloatTree> leaves(grid->tree());
  leaves.foreach ([&](Leaf& leaf, std::size_t) { sign_leaf(leaf, inside, report.watertight); });
  fill_blocks(grid->tree(), result, inside);
  result.bytes = to_nano(*grid);
  return result;
}

MeshGrid shell_to_grid(const TriangleMesh& mesh, const std::string& name, double voxel_size,
                       double thickness) {
  MeshGrid result;
  const TriangleMesh scaled = in_index_space(mesh, voxel_size, result);
  const double half = 0.5 * thickness / voxel_size;
  require_size(result, half, name);
  openvdb::initialize();
  openvdb::Coord low, high;
  for (int i = 0; i < 3; ++i) {
    result.index_min[i] = -half;
    result.index_max[i] += half;
    low[i] = static_cast<int>(std::floor((result.index_min[i] - kHalfBand) / kBlock));
    high[i] = static_cast<int>(std::floor((result.index_max[i] + kHalfBand) / kBlock)) + 1;
  }
  const auto grid = openvdb::FloatGrid::create(kHalfBand);
  const Shell shell(scaled, half);
  shell.add_blocks(low, high, grid->tree());
  openvdb::tree::LeafManager<openvdb::FloatTree> leaves(grid->tree());
  leaves.foreach ([&](Leaf& leaf, std::size_t) { shell.fill(leaf); });
  result.bytes = to_nano(*grid);
  return result;
}

#else

void require_grid_size(const TriangleMesh&, const std::string& name, double, double) {
  throw Error(
      ErrorCategory::kScene,
      fmt::format("{}: mesh shapes need a build with OpenVDB (FIRN_WITH_OPENVDB=ON)", name));
}
MeshGrid mesh_to_grid(const TriangleMesh& mesh, const std::string& name, double voxel_size) {
  require_grid_size(mesh, name, voxel_size, 0);
  return {};
}
MeshGrid shell_to_grid(const TriangleMesh& mesh, const std::string& name, double voxel_size,
                       double thickness) {
  require_grid_size(mesh, name, voxel_size, thickness);
  return {};
}

#endif

}  // namespace firn

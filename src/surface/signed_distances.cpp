// Distances are those to the triangles. Their signs are not OpenVDB's, which fill whatever the
// outside does not reach: bubbles in a liquid, and pockets behind necks of less than a voxel. The
// particles' own level set knows these, but its surface is the mesh before it is smoothed and laid
// on walls. What settles it: two voxels that are together farther from the surface than from each
// other are on the same side, so that sets of such voxels are, whose sign is that which most of the
// level set gives them.
#if defined(FIRN_WITH_OPENVDB)
#include "src/surface/signed_distances.h"

#include <openvdb/tools/ChangeBackground.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace firn {
namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using openvdb::Int32Tree;

// As openvdb::tools::meshToVolume reads a mesh.
struct MeshInGrid {
  const SurfaceMesh& mesh;
  const openvdb::math::Transform& transform;

  std::size_t polygonCount() const { return mesh.triangles.size() / 3; }
  std::size_t pointCount() const { return mesh.vertices(); }
  std::size_t vertexCount(std::size_t) const { return 3; }
  void getIndexSpacePoint(std::size_t triangle, std::size_t corner, openvdb::Vec3d& place) const {
    const float* x = &mesh.positions[3 * std::size_t{mesh.triangles[3 * triangle + corner]}];
    place = transform.worldToIndex(openvdb::Vec3d(x[0], x[1], x[2]));
  }
};

// Never less than the band in double precision, in which it is checked.
float background_of(const openvdb::math::Transform& transform) {
  const double band = kNarrowBand * transform.voxelSize()[0];
  const auto nearest = static_cast<float>(band);
  return nearest < band ? std::nextafter(nearest, std::numeric_limits<float>::max()) : nearest;
}

struct Neighbour {
  Coord step;
  float away;  // voxels
};

// All, those along the axes first.
std::array<Neighbour, 26> neighbours() {
  std::array<Neighbour, 26> all;
  std::size_t n = 0;
  for (int squares = 1; squares <= 3; ++squares)
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z)
          if (x * x + y * y + z * z == squares)
            all[n++] = {Coord(x, y, z), std::sqrt(static_cast<float>(squares))};
  return all;
}

// Sets of voxels that are on one side of the surface.
class Sides {
 public:
  explicit Sides(const FloatGrid& distances)
      : distances_(distances), numbers_(distances.tree(), -1, openvdb::TopologyCopy()) {
    std::int32_t next = 0;
    for (auto at = numbers_.beginValueOn(); at; ++at) at.setValue(next++);
    root_.resize(static_cast<std::size_t>(next));
    std::iota(root_.begin(), root_.end(), 0);
    unite_all();
  }

  // Makes distances negative where most of `rough` is.
  void give_signs(FloatGrid& distances, const FloatGrid& rough) {
    std::vector<double> votes(root_.size(), 0);
    auto sign = rough.getConstAccessor();
    const openvdb::tree::ValueAccessor<const Int32Tree> number(numbers_);
    const auto votes_of = [&](const Coord& at) -> double& {
      return votes[static_cast<std::size_t>(find(number.getValue(at)))];
    };
    for (auto at = distances.cbeginValueOn(); at; ++at)
      votes_of(at.getCoord()) += sign.getValue(at.getCoord()) < 0 ? -*at : *at;
    for (auto at = distances.beginValueOn(); at; ++at)
      if (votes_of(at.getCoord()) < 0) at.setValue(-*at);
  }

 private:
  std::int32_t& root(std::int32_t i) { return root_[static_cast<std::size_t>(i)]; }
  std::int32_t find(std::int32_t i) {
    while (root(i) != i) i = root(i) = root(root(i));
    return i;
  }

  // Of voxels far from the surface those along the axes do.
  void unite_all() {
    const auto voxel = static_cast<float>(distances_.voxelSize()[0]);
    const std::array<Neighbour, 26> all = neighbours();
    auto distance = distances_.getConstAccessor();
    const openvdb::tree::ValueAccessor<const Int32Tree> number(numbers_);
    for (auto at = distances_.cbeginValueOn(); at; ++at) {
      const Coord here = at.getCoord();
      std::int32_t own = number.getValue(here);
      const std::size_t enough = *at > voxel ? 6 : all.size();
      for (std::size_t i = 0; i < enough; ++i) {
        const std::int32_t other = number.getValue(here + all[i].step);
        if (other < 0 || !(*at + distance.getValue(here + all[i].step) > all[i].away * voxel))
          continue;
        const std::int32_t a = find(own), b = find(other);
        own = root(std::max(a, b)) = std::min(a, b);
      }
    }
  }

  const FloatGrid& distances_;
  Int32Tree numbers_;  // of voxels in the band, others have -1
  std::vector<std::int32_t> root_;
};

}  // namespace

FloatGrid::Ptr empty_level_set(const openvdb::math::Transform& transform) {
  FloatGrid::Ptr grid = FloatGrid::create(background_of(transform));
  grid->setTransform(transform.copy());
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  return grid;
}

FloatGrid::Ptr signed_distances(const SurfaceMesh& mesh, const FloatGrid& rough) {
  if (mesh.triangles.empty()) return empty_level_set(rough.transform());
  const FloatGrid::Ptr grid = openvdb::tools::meshToVolume<FloatGrid>(
      MeshInGrid{mesh, rough.transform()}, rough.transform(), kNarrowBand, kNarrowBand,
      openvdb::tools::UNSIGNED_DISTANCE_FIELD);
  openvdb::tools::changeBackground(grid->tree(), background_of(rough.transform()));
  Sides(*grid).give_signs(*grid, rough);
  openvdb::tools::signedFloodFill(grid->tree());
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  return grid;
}

}  // namespace firn
#endif

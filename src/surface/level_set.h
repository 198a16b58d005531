// The level set of particles, as OpenVDB has it.
#pragma once

#if defined(FIRN_WITH_OPENVDB)
#include <openvdb/openvdb.h>

#include <array>

#include "src/analysis/cell_lists.h"
#include "src/surface/ellipsoids.h"
#include "src/surface/holes.h"
#include "src/surface/near_fits.h"
#include "src/surface/near_sums.h"
#include "src/surface/particle_surface.h"
#include "src/surface/wall_images.h"
#include "src/surface/walls.h"

namespace firn {

// phi(x) = |x - m(x)| - r, m the weighted mean of the particles about x [Zhu and Bridson 2005],
// which is smooth where the particles' own spheres are not; but nowhere less than the distance to
// the nearest particle allows, so that nothing bridges a gap between two bodies. The radius is that
// of the sphere with a particle's volume; of a mass the level that encloses its volume is some 0.15
// spacings further out. Of an anisotropic surface phi falls with the sum of the particles' kernels
// (ellipsoids.h) instead, such that it is 0 at a flat surface. Particles that no other is near are
// lone drops, which are spheres anyway, and are not part of it: in a spray voxels about each would
// take a thousand times their memory.
//
// Beside walls phi is found with the particles' mirror images in them as well (wall_images.h), so
// that it is the same along a wall's normal as within a mass; but material that does not touch the
// wall may not be drawn to it from farther than a part of the spacing, and no image may stand for
// material where there is none. `cut` then ends it a little behind the wall: there the edges of a
// mesh are round, and those who take it push what lies in the wall back onto it.
class LevelSet {
 public:
  struct Drop {
    std::uint32_t particle;
    std::array<float, 3> x;
    double volume;
  };

  LevelSet(const SurfaceParticles& particles, const SurfaceSettings& settings, const Walls& walls);

  double spacing() const { return spacing_; }
  // The distance of two voxels of a surface of particles so far apart, m.
  static double voxel_of(const SurfaceSettings& settings, double spacing);
  double voxel() const { return side_ * spacing_ / per_cell_; }
  // Voxel i of the grid lies at (i + 1/2) voxels, counted from the lower side of cell 0.
  double place_of(double index) const { return (index + 0.5) * voxel() - 0.5 * side_ * spacing_; }
  double volume() const { return volume_; }  // of the particles but for lone ones, m^3
  // In the place of voxels: OpenVDB's own transforms have none as small as those of fine scenes.
  const openvdb::FloatGrid::Ptr& grid() const { return grid_; }
  // Before the grid's `level` is taken.
  void cut(double level);
  const Walls& walls() const { return walls_; }
  // Those that a point of the surface may lie in.
  Walls::Set walls_near(const std::array<float, 3>& x) const;
  const std::vector<Drop>& lone() const { return lone_; }
  // About which the particles' volume is enclosed, m: by the count of voxels, or 0 where the
  // kernels are such that it is there.
  double likely_level() const { return likely_level_; }
  // How far from 0 a level may be, m.
  double farthest_level() const { return 0.75 * outside_; }
  // Of the surface at `level` and the lone drops, in the world, for files: negative inside, m.
  openvdb::FloatGrid::Ptr whole(double level) const;

  // Of the particles about a place; `values` has `components` entries for each particle. The level
  // set must outlive it.
  NearMeans means(std::span<const float> values, int components) const {
    return {cells_, points_, reach_, components, [&](std::size_t i, int c) {
              return values[std::size_t{owner(cells_.order()[i])} * components + c];
            }};
  }
  // Likewise of `vectors`, 3 entries each; without images, which move as their particles do and not
  // as these have them mirrored.
  NearFits fits(std::span<const float> vectors) const {
    return {cells_, points_, reach_,
            [&](std::size_t i) { return is_image(cells_.order()[i]) ? 0.0f : 1.0f; },
            [&](std::size_t i, int c) {
              return vectors[std::size_t{3} * owner(cells_.order()[i]) + c];
            }};
  }
  // The particle that is nearest to a place, itself or by an image; KeyTable::kNone: none is near.
  std::uint32_t nearest(const std::array<float, 3>& x) const {
    const std::uint32_t i = nearest_point(cells_, points_, x);
    return i == KeyTable::kNone ? i : owner(cells_.order()[i]);
  }

 private:
  static constexpr int kMostPerCell = 16;
  static double side_of(SurfaceKernel kernel);
  static int voxels_along(const SurfaceSettings& settings);
  using Cells = CellLists<3>;
  using Around = std::array<std::uint32_t, Cells::kStencil>;
  // Of all voxels of a cell, side by side.
  struct Sums;

  // Values of a cell's voxels; one where all have it, none where all are background.
  using Values = std::vector<float>;

  // A voxel beside walls.
  struct Cut {
    openvdb::Coord at;
    float phi, beyond;  // without the cut; m from where that is
  };

  // Those of the level set, and their images.
  std::vector<float> placed(const SurfaceParticles& particles);
  std::vector<float> find_lone(const SurfaceParticles& particles, const Cells& all);
  bool is_image(std::uint32_t point) const { return point >= particles_; }
  std::uint32_t owner(std::uint32_t point) const {
    return is_image(point) ? owners_[point - particles_] : point;
  }
  bool has_images(const Around& around) const;
  std::vector<Walls::Set> find_near_walls() const;
  Walls::Set near_walls(std::uint32_t node) const { return near_.empty() ? 0 : near_[node]; }
  bool is_deep(std::uint32_t node, const Around& around) const;
  std::vector<char> near_surface() const;
  void fit_ellipsoids(const SurfaceParticles& particles);
  // `beyond`: of the cell's voxels how far they are from where they are cut, if any is near.
  Values measure(std::uint32_t node, Values& beyond) const;
  Values measure_walls(std::uint32_t node, Sums& sums) const;
  template <class F>
  void for_points(const Around& around, bool images, F&& f) const;
  Values measure_distance(const Around& around, const Sums& sums) const;
  Values measure_density(const Around& around, Sums& sums) const;
  float farthest_behind(std::uint32_t node) const;
  void fill_grid(const std::vector<Values>& values, const std::vector<Values>& beyond);

  std::size_t voxels_per_cell() const {
    return static_cast<std::size_t>(per_cell_) * per_cell_ * per_cell_;
  }

  bool is_anisotropic_;
  Walls walls_;
  std::uint32_t particles_;  // points beyond are images
  double spacing_, volume_;
  std::vector<Drop> lone_;
  std::vector<std::uint32_t> owners_;  // of images
  double drawn_, side_;                // SurfaceSettings; of a cell, in spacings
  int per_cell_;                       // voxels along a cell
  float reach_;                        // of the weights: the side of a cell
  float inside_, outside_;             // minus the least value, and the background
  double likely_level_ = 0;
  std::vector<float> places_;  // of particles and images, until cells have them
  Cells cells_;
  std::vector<std::uint32_t> order_;  // of a cell's voxels, for VoxelSums
  std::vector<Walls::Set> near_;      // by node, if there are walls
  std::vector<SurfacePoint> points_;  // in the order of the cells
  Holes holes_;
  std::vector<Ellipsoid> ellipsoids_;  // of anisotropic surfaces, in that order
  openvdb::FloatGrid::Ptr grid_;
  std::vector<Cut> cuts_;
};

}  // namespace firn
#endif

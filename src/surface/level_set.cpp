#if defined(FIRN_WITH_OPENVDB)
#include "src/surface/level_set.h"

#include <openvdb/tools/ChangeBackground.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "kernels/exec/parallel_for.h"

namespace firn {
namespace {

// In units of the particles' spacing.
constexpr double kReach = 3;  // of the weights of isotropic surfaces
// Of the sphere with a particle's volume.
constexpr float kRadius = 0.6204f;
constexpr float kNearest = 1.25f;  // no surface is farther from every particle
constexpr float kBand = 1.2f;      // values beyond are background
constexpr double kLone = 1.8;      // lone drops have nothing nearer
// Of anisotropic surfaces: what values are within and without, such that their slope is about one
// at a flat surface.
constexpr float kHalfBand = 0.6f;
constexpr std::uint32_t kDense = 42;  // particles of a cell of 64 that has no hole

double mean_volume(const SurfaceParticles& particles) {
  const double sum = std::accumulate(particles.volume.begin(), particles.volume.end(), 0.0);
  return particles.volume.empty() ? 1 : sum / static_cast<double>(particles.volume.size());
}

}  // namespace

double LevelSet::side_of(SurfaceKernel kernel) {
  return kernel == SurfaceKernel::kAnisotropic ? EllipsoidFit::kNeighbours : kReach;
}

int LevelSet::voxels_along(const SurfaceSettings& settings) {
  const double side = side_of(settings.kernel);
  return std::clamp(static_cast<int>(std::ceil(side / settings.voxel)), 1, kMostPerCell);
}

double LevelSet::voxel_of(const SurfaceSettings& settings, double spacing) {
  return side_of(settings.kernel) * spacing / voxels_along(settings);
}

LevelSet::LevelSet(const SurfaceParticles& particles, const SurfaceSettings& settings)
    : is_anisotropic_(settings.kernel == SurfaceKernel::kAnisotropic),
      spacing_(std::cbrt(mean_volume(particles))),
      side_(side_of(settings.kernel)),
      per_cell_(voxels_along(settings)),
      reach_(static_cast<float>(side_ * spacing_)),
      inside_(static_cast<float>((is_anisotropic_ ? kHalfBand : kRadius) * spacing_)),
      outside_(static_cast<float>((is_anisotropic_ ? kHalfBand : kBand) * spacing_)),
      cells_(Lattice<3>(side_ * spacing_, Vec3{}), find_lone(particles, spacing_, lone_)) {
  points_.resize(cells_.order().size());
  volume_ = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t p = cells_.order()[i];
    points_[i] = {particles.position[3 * p], particles.position[3 * p + 1],
                  particles.position[3 * p + 2]};
    volume_ += particles.volume[p];
  }
  if (is_anisotropic_) fit_ellipsoids(particles);
  std::vector<Values> values(cells_.size());
  parallel_for(cells_.size(), 0, [&](std::uint32_t node) { values[node] = measure(node); });
  fill_grid(values);
}

// Positions, of lone drops such that lists of cells leave them out.
std::vector<float> LevelSet::find_lone(const SurfaceParticles& particles, double spacing,
                                       std::vector<Drop>& lone) {
  std::vector<float> position(particles.position.begin(), particles.position.end());
  const Cells all(Lattice<3>(kReach * spacing, Vec3{}), particles.position);
  std::vector<char> is_lone(particles.volume.size(), 0);
  const auto near_square = static_cast<float>(kLone * kLone * spacing * spacing);
  parallel_for(all.occupied(), 0, [&](std::uint32_t cell) {
    const Around around = all.around(all.node_of_region(cell));
    for (std::uint32_t i = all.begin(cell); i < all.end(cell); ++i) {
      const std::size_t p = all.order()[i];
      const float* x = &position[3 * p];
      const auto is_near = [&](std::uint32_t other) {
        const float* y = &position[3 * std::size_t{other}];
        const float a = x[0] - y[0], b = x[1] - y[1], c = x[2] - y[2];
        return other != p && a * a + b * b + c * c < near_square;
      };
      is_lone[p] = std::none_of(around.begin(), around.end(), [&](std::uint32_t beside) {
        return beside != KeyTable::kNone &&
               std::any_of(all.order().begin() + all.begin(beside),
                           all.order().begin() + all.end(beside), is_near);
      });
    }
  });
  for (std::uint32_t p = 0; p < is_lone.size(); ++p)
    if (is_lone[p]) {
      const float* x = &position[3 * std::size_t{p}];
      lone.push_back({p, {x[0], x[1], x[2]}, particles.volume[p]});
      position[3 * std::size_t{p}] = std::numeric_limits<float>::quiet_NaN();
    }
  return position;
}

// No side of the cell is near the surface: all of its surroundings hold particles.
bool LevelSet::is_deep(const Around& around) const {
  const std::uint32_t least = is_anisotropic_ ? kDense : 2;
  return std::all_of(around.begin(), around.end(), [&](std::uint32_t cell) {
    return cell != KeyTable::kNone && cells_.end(cell) >= cells_.begin(cell) + least;
  });
}

// By cell of particles, whether voxels that are not deep are about it.
std::vector<char> LevelSet::near_surface() const {
  std::vector<char> deep(cells_.size()), near(cells_.occupied());
  parallel_for(cells_.size(), 0,
               [&](std::uint32_t node) { deep[node] = is_deep(cells_.around(node)); });
  parallel_for(cells_.occupied(), 0, [&](std::uint32_t cell) {
    const Around nodes = cells_.stencil(cell, 1);
    near[cell] = std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t node) {
      return node != KeyTable::kNone && !deep[node];
    });
  });
  return near;
}

void LevelSet::fit_ellipsoids(const SurfaceParticles& particles) {
  std::vector<float> volumes;
  volumes.reserve(points_.size());
  for (const std::uint32_t p : cells_.order()) volumes.push_back(particles.volume[p]);
  ellipsoids_ = EllipsoidFit(cells_, points_, volumes, spacing_, near_surface()).take();
}

// Of the voxels, relative to the middle of the cell, so that single precision has the digits.
struct LevelSet::Sums {
  static constexpr int kMost = kMostPerCell * kMostPerCell * kMostPerCell;
  Vec<double, 3> middle;
  float x[kMost], y[kMost], z[kMost];
  float weight[kMost], mean_x[kMost], mean_y[kMost], mean_z[kMost], nearest[kMost];

  SurfacePoint relative(const SurfacePoint& p) const {
    return {static_cast<float>(p.x - middle[0]), static_cast<float>(p.y - middle[1]),
            static_cast<float>(p.z - middle[2])};
  }
};

LevelSet::Values LevelSet::measure(std::uint32_t node) const {
  const auto n = static_cast<int>(voxels_per_cell());
  const Around around = cells_.around(node);
  if (is_deep(around)) return {-inside_};
  Sums s;
  s.middle = cells_.position_of(node);
  const float voxel = reach_ / static_cast<float>(per_cell_);
  for (int i = 0; i < n; ++i) {
    const int row = i / per_cell_, layer = row / per_cell_;
    s.x[i] = (static_cast<float>(layer) + 0.5f) * voxel - 0.5f * reach_;
    s.y[i] = (static_cast<float>(row % per_cell_) + 0.5f) * voxel - 0.5f * reach_;
    s.z[i] = (static_cast<float>(i % per_cell_) + 0.5f) * voxel - 0.5f * reach_;
    s.weight[i] = 0;
  }
  Values values = is_anisotropic_ ? measure_density(around, s) : measure_distance(around, s);
  const bool any =
      std::any_of(values.begin(), values.end(), [&](float value) { return value < outside_; });
  return any ? values : Values{};
}

LevelSet::Values LevelSet::measure_distance(const Around& around, Sums& s) const {
  const auto n = static_cast<int>(voxels_per_cell());
  const auto h = static_cast<float>(spacing_);
  for (int i = 0; i < n; ++i) {
    s.mean_x[i] = s.mean_y[i] = s.mean_z[i] = 0;
    s.nearest[i] = reach_ * reach_;
  }
  const float scale = 1 / (reach_ * reach_);
  for (const std::uint32_t cell : around) {
    if (cell == KeyTable::kNone) continue;
    for (std::uint32_t k = cells_.begin(cell); k < cells_.end(cell); ++k) {
      const SurfacePoint p = s.relative(points_[k]);
      for (int i = 0; i < n; ++i) {
        const float a = s.x[i] - p.x, b = s.y[i] - p.y, c = s.z[i] - p.z;
        const float square = a * a + b * b + c * c;
        const float t = std::max(0.0f, 1 - square * scale);
        const float w = t * t * t;
        s.nearest[i] = std::min(s.nearest[i], square);
        s.weight[i] += w;
        s.mean_x[i] += w * a;
        s.mean_y[i] += w * b;
        s.mean_z[i] += w * c;
      }
    }
  }
  Values values(voxels_per_cell());
  for (int i = 0; i < n; ++i) {
    const float w = std::max(s.weight[i], 1e-20f);
    const float away = std::sqrt(s.mean_x[i] * s.mean_x[i] + s.mean_y[i] * s.mean_y[i] +
                                 s.mean_z[i] * s.mean_z[i]) /
                       w;
    const float apart = std::sqrt(s.nearest[i]) - kNearest * h;
    const float phi = std::max(away - kRadius * h, apart);
    values[static_cast<std::size_t>(i)] = s.weight[i] > 0 ? std::min(phi, outside_) : outside_;
  }
  return values;
}

// The sum of kernels is about one half at a flat surface, and so is it half a spacing off a sheet
// of particles: one level does for both.
LevelSet::Values LevelSet::measure_density(const Around& around, Sums& s) const {
  const auto n = static_cast<int>(voxels_per_cell());
  const float reach = 0.5f * reach_ + EllipsoidFit::kLongest * static_cast<float>(spacing_);
  for (const std::uint32_t cell : around) {
    if (cell == KeyTable::kNone) continue;
    for (std::uint32_t k = cells_.begin(cell); k < cells_.end(cell); ++k) {
      const Ellipsoid e = ellipsoids_[k];
      const SurfacePoint p = s.relative(e.center);
      if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) >= reach) continue;
      for (int i = 0; i < n; ++i) {
        const float a = s.x[i] - p.x, b = s.y[i] - p.y, c = s.z[i] - p.z;
        const float q =
            a * (e.xx * a + e.xy * b) + b * (e.yy * b + e.yz * c) + c * (e.zz * c + e.zx * a);
        const float t = std::max(0.0f, 1 - q);
        s.weight[i] += e.weight * (t * t);
      }
    }
  }
  Values values(voxels_per_cell());
  for (int i = 0; i < n; ++i)
    values[static_cast<std::size_t>(i)] =
        outside_ - (outside_ + inside_) * std::min(s.weight[i], 1.0f);
  return values;
}

void LevelSet::fill_grid(const std::vector<Values>& values) {
  grid_ = openvdb::FloatGrid::create(outside_);
  grid_->setGridClass(openvdb::GRID_LEVEL_SET);
  auto accessor = grid_->getAccessor();
  for (std::uint32_t node = 0; node < cells_.size(); ++node) {
    if (values[node].empty()) continue;
    const Cell<3> cell = cells_.cell(node);
    const std::size_t step = values[node].size() > 1 ? 1 : 0;
    const float* value = values[node].data();
    for (int i = 0; i < per_cell_; ++i)
      for (int j = 0; j < per_cell_; ++j)
        for (int k = 0; k < per_cell_; ++k, value += step)
          if (*value < outside_)
            accessor.setValue(openvdb::Coord(cell[0] * per_cell_ + i, cell[1] * per_cell_ + j,
                                             cell[2] * per_cell_ + k),
                              *value);
  }
}

openvdb::FloatGrid::Ptr LevelSet::whole(double level) const {
  openvdb::FloatGrid::Ptr grid = grid_->deepCopy();
  const auto transform = openvdb::math::Transform::createLinearTransform(voxel());
  transform->postTranslate(openvdb::Vec3d(place_of(0)));
  grid->setTransform(transform);
  const auto shift = static_cast<float>(level);
  for (auto value = grid->beginValueOn(); value; ++value) value.setValue(*value - shift);
  openvdb::tools::changeBackground(grid->tree(), grid->background() - shift);
  auto accessor = grid->getAccessor();
  const double reach = 2 * spacing_;
  for (const Drop& drop : lone_) {
    const openvdb::Vec3d center(drop.x[0], drop.x[1], drop.x[2]), side(reach, reach, reach);
    const double radius = std::cbrt(3 * drop.volume / (4 * std::numbers::pi));
    const auto low = openvdb::Coord::ceil(grid->worldToIndex(center - side)),
               high = openvdb::Coord::floor(grid->worldToIndex(center + side));
    for (auto at = openvdb::CoordBBox(low, high).beginXYZ(); at; ++at) {
      const double away = (grid->indexToWorld(*at) - center).length() - radius;
      if (away < accessor.getValue(*at)) accessor.setValue(*at, static_cast<float>(away));
    }
  }
  return grid;
}

}  // namespace firn
#endif

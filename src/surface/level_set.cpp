#if defined(FIRN_WITH_OPENVDB)
#include "src/surface/level_set.h"

#include <openvdb/tools/ChangeBackground.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "kernels/exec/parallel_for.h"
#include "src/surface/holes.h"
#include "src/surface/volume_count.h"

namespace firn {
namespace {

// In units of the particles' spacing.
constexpr double kReach = 3;        // of the weights of isotropic surfaces
constexpr float kRadius = 0.6204f;  // of the sphere with a particle's volume
constexpr double kNearest = 1.25;   // no surface is farther from every particle
constexpr double kHole = 1.35;      // of a mass the level that is taken is further out
constexpr float kBand = 1.2f;       // values beyond are background
constexpr double kLone = 1.8;       // lone drops have nothing nearer
// Of anisotropic surfaces: what values are within and without; their slope at a flat one is one.
constexpr float kHalfBand = 0.6f;
constexpr std::uint32_t kDense = 42;  // particles of a cell of 64 that is full

// How far behind a wall surfaces are cut, in voxels: the edges of the cut, which smoothing makes
// round, lie in it. Colliders may be no thicker than a cell, and hold it from both sides.
constexpr double kBehindFace = 1.5, kBehindCollider = 0.75;
constexpr double kBeside = kReach;  // from there on no particle is missed in a wall

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

LevelSet::LevelSet(const SurfaceParticles& particles, const SurfaceSettings& settings,
                   const Walls& walls)
    : is_anisotropic_(settings.kernel == SurfaceKernel::kAnisotropic),
      walls_(walls),
      particles_(static_cast<std::uint32_t>(particles.volume.size())),
      spacing_(std::cbrt(mean_volume(particles))),
      drawn_(settings.drawn),
      side_(side_of(settings.kernel)),
      per_cell_(voxels_along(settings)),
      reach_(static_cast<float>(side_ * spacing_)),
      inside_(static_cast<float>((is_anisotropic_ ? kHalfBand : kRadius) * spacing_)),
      outside_(static_cast<float>((is_anisotropic_ ? kHalfBand : kBand) * spacing_)),
      places_(placed(particles)),
      cells_(Lattice<3>(side_ * spacing_, Vec3{}), places_),
      order_(VoxelSums::compact_order(per_cell_)) {
  points_.resize(cells_.order().size());
  volume_ = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::uint32_t p = cells_.order()[i];
    const float* x = &places_[3 * std::size_t{p}];
    points_[i] = {x[0], x[1], x[2]};
    volume_ += is_image(p) ? 0 : particles.volume[p];
  }
  places_ = {};
  if (!walls_.none()) near_ = find_near_walls();
  const auto is_in_wall = [this](std::uint32_t node, const Walls::V3& x) {
    return near_walls(node) != 0 && walls_.distance(near_walls(node), x) < 0;
  };
  holes_ = Holes(cells_, points_, per_cell_, kHole * spacing_, is_in_wall);
  if (is_anisotropic_) fit_ellipsoids(particles);
  std::vector<Values> values(cells_.size()), beyond(cells_.size());
  parallel_for(cells_.size(), 0,
               [&](std::uint32_t node) { values[node] = measure(node, beyond[node]); });
  fill_grid(values, beyond);
}

std::vector<float> LevelSet::placed(const SurfaceParticles& particles) {
  const Cells all(Lattice<3>(kReach * spacing_, Vec3{}), particles.position);
  std::vector<float> position = find_lone(particles, all);
  WallImages images = images_in(walls_, all, position, side_ * spacing_);
  position.insert(position.end(), images.position.begin(), images.position.end());
  owners_ = std::move(images.owner);
  return position;
}

// Positions, of lone drops such that lists of cells leave them out.
std::vector<float> LevelSet::find_lone(const SurfaceParticles& particles, const Cells& all) {
  std::vector<float> position(particles.position.begin(), particles.position.end());
  std::vector<char> is_lone(particles.volume.size(), 0);
  const auto near_square = static_cast<float>(kLone * kLone * spacing_ * spacing_);
  parallel_for(all.occupied(), 0, [&](std::uint32_t cell) {
    Around around = all.around(all.node_of_region(cell));
    std::swap(around.front(), around[around.size() / 2]);  // most have somebody in their own cell
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
      lone_.push_back({p, {x[0], x[1], x[2]}, particles.volume[p]});
      position[3 * std::size_t{p}] = std::numeric_limits<float>::quiet_NaN();
    }
  return position;
}

// By node, the walls that voxels of its cell are beside.
std::vector<Walls::Set> LevelSet::find_near_walls() const {
  std::vector<Walls::Set> near(cells_.size());
  const double reach = 0.5 * std::sqrt(3.0) * side_ * spacing_ + kBeside * spacing_;
  parallel_for(cells_.size(), 0, [&](std::uint32_t node) {
    near[node] = walls_.near(cells_.position_of(node), reach);
  });
  return near;
}

Walls::Set LevelSet::walls_near(const std::array<float, 3>& x) const {
  if (near_.empty()) return 0;
  const Walls::V3 place{{x[0], x[1], x[2]}};
  const std::uint32_t node = cells_.node_near(place);
  return node != KeyTable::kNone ? near_[node] : walls_.near(place, spacing_);
}

bool LevelSet::has_images(const Around& around) const {
  return std::any_of(around.begin(), around.end(), [&](std::uint32_t cell) {
    return cell != KeyTable::kNone && cells_.end(cell) > cells_.begin(cell) &&
           is_image(cells_.order()[cells_.end(cell) - 1]);
  });
}

// No side of the cell is near the surface: no hole is, and nowhere are particles few.
bool LevelSet::is_deep(std::uint32_t node, const Around& around) const {
  const std::uint32_t dense = is_anisotropic_ ? kDense : kDense * 27 / 64;
  const std::uint32_t least = is_anisotropic_ || near_walls(node) != 0 ? dense : 0;
  return !holes_.any_near(around) && std::ranges::all_of(around, [&](std::uint32_t cell) {
    return cells_.end(cell) >= cells_.begin(cell) + least;
  });
}

// By cell of particles, whether voxels that are not deep are about it.
std::vector<char> LevelSet::near_surface() const {
  std::vector<char> deep(cells_.size()), near(cells_.occupied());
  parallel_for(cells_.size(), 0,
               [&](std::uint32_t node) { deep[node] = is_deep(node, cells_.around(node)); });
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
  for (const std::uint32_t p : cells_.order()) volumes.push_back(particles.volume[owner(p)]);
  ellipsoids_ = EllipsoidFit(cells_, points_, volumes, spacing_, near_surface()).take();
}

// Of the voxels, relative to the middle of the cell, so that single precision has the digits.
struct LevelSet::Sums {
  static constexpr int kMost = kMostPerCell * kMostPerCell * kMostPerCell;
  Vec<double, 3> middle;
  float x[kMost], y[kMost], z[kMost];
  float weight[kMost];   // of anisotropic surfaces
  float touched[kMost];  // how many walls, if any is near
  bool has_images = false;

  SurfacePoint relative(const SurfacePoint& p) const {
    return {static_cast<float>(p.x - middle[0]), static_cast<float>(p.y - middle[1]),
            static_cast<float>(p.z - middle[2])};
  }
};

LevelSet::Values LevelSet::measure(std::uint32_t node, Values& beyond) const {
  const auto n = static_cast<int>(voxels_per_cell());
  const Around around = cells_.around(node);
  const bool deep = is_deep(node, around);
  if (deep && near_walls(node) == 0) return {-inside_};
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
  if (near_walls(node) != 0) beyond = measure_walls(node, s);
  if (deep) return Values(beyond.empty() ? 1 : voxels_per_cell(), -inside_);
  s.has_images = near_walls(node) != 0 && has_images(around);
  Values values = is_anisotropic_ ? measure_density(around, s) : measure_distance(around, s);
  return std::ranges::min(values) < outside_ ? values : Values{};
}

// Voxels in a wall are moved onto it, so that they have the value there: the surface goes straight
// into the wall, and what it is there is seen without folds when it is pushed back.
LevelSet::Values LevelSet::measure_walls(std::uint32_t node, Sums& s) const {
  const auto beside = static_cast<float>(kBeside * spacing_);
  const auto deepest = static_cast<float>(2 * kBehindFace * voxel());
  Values beyond(voxels_per_cell());
  bool any = false;
  for (std::size_t i = 0; i < beyond.size(); ++i) {
    const Walls::V3 x = s.middle + Walls::V3{{s.x[i], s.y[i], s.z[i]}};
    beyond[i] = std::numeric_limits<float>::max();
    s.touched[i] = 0;
    float nearest = std::numeric_limits<float>::max();
    walls_.each(near_walls(node), [&](int wall) {
      const auto away = static_cast<float>(walls_.distance(wall, x));
      nearest = std::min(nearest, away);
      s.touched[i] += std::clamp(1 - away / beside, 0.0f, 1.0f);
      const double behind = walls_.is_face(wall) ? kBehindFace : kBehindCollider;
      beyond[i] = std::min(beyond[i], away + static_cast<float>(behind * voxel()));
    });
    if (nearest < 0 && nearest > -deepest) {
      const Walls::V3 out = walls_.pushed_out(near_walls(node), x) - s.middle;
      float* const own[] = {&s.x[i], &s.y[i], &s.z[i]};
      for (int a = 0; a < 3; ++a) *own[a] = static_cast<float>(out[a]);
    }
    any = any || beyond[i] < inside_ + static_cast<float>(farthest_level());
  }
  return any ? beyond : Values{};
}

// f(point) for the particles about a cell, or for their images, which come last in a cell.
template <class F>
void LevelSet::for_points(const Around& around, bool images, F&& f) const {
  for (const std::uint32_t cell : around) {
    if (cell == KeyTable::kNone) continue;
    for (std::uint32_t k = cells_.begin(cell); k < cells_.end(cell); ++k)
      if (is_image(cells_.order()[k]) == images) f(k);
  }
}

LevelSet::Values LevelSet::measure_distance(const Around& around, const Sums& s) const {
  using Lanes = VoxelSums::Lanes;
  std::vector<SurfacePoint> own, images;
  for_points(around, false, [&](std::uint32_t k) { own.push_back(s.relative(points_[k])); });
  const Lanes radius(kRadius * static_cast<float>(spacing_)),
      nearest(static_cast<float>(kNearest * spacing_));
  const auto phi = [&](const Lanes& weight, const Lanes& mean, const Lanes& apart) {
    const Lanes away = mean / max(weight, Lanes(1e-20f));
    return select(weight > Lanes(0.0f), max(away - radius, apart - nearest),
                  Lanes(kLargest<float>));
  };
  VoxelSums sums(order_, s.x, s.y, s.z, reach_);
  sums.add(own);
  Values values(voxels_per_cell());
  sums.take(values, phi);
  if (s.has_images) {
    for_points(around, true, [&](std::uint32_t k) { images.push_back(s.relative(points_[k])); });
    sums.add(images);
    Values with_images(values.size());
    sums.take(with_images, phi);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float drawn = static_cast<float>(drawn_ * spacing_) * s.touched[i];
      values[i] = std::clamp(with_images[i], values[i] - drawn, values[i]);
    }
  }
  for (float& value : values) value = std::min(value, outside_);
  return values;
}

// The sum of kernels is about one half at a flat surface, and so is it half a spacing off a sheet
// of particles: one level does for both.
LevelSet::Values LevelSet::measure_density(const Around& around, Sums& s) const {
  const auto n = static_cast<int>(voxels_per_cell());
  const float reach = 0.5f * reach_ + EllipsoidFit::kLongest * static_cast<float>(spacing_);
  const auto add = [&](std::uint32_t k) {
    const Ellipsoid e = ellipsoids_[k];
    const SurfacePoint p = s.relative(e.center);
    if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) >= reach) return;
    for (int i = 0; i < n; ++i) {
      const float a = s.x[i] - p.x, b = s.y[i] - p.y, c = s.z[i] - p.z;
      const float q =
          a * (e.xx * a + e.xy * b) + b * (e.yy * b + e.yz * c) + c * (e.zz * c + e.zx * a);
      const float t = std::max(0.0f, 1 - q);
      s.weight[i] += e.weight * (t * t);
    }
  };
  for_points(around, false, add);
  Values values(s.weight, s.weight + n);
  // Of a mass's half space that ends at a wall the kernels sum to 1 / 2 there, with its image to 1.
  // What touches several walls has a quarter, an eighth.
  const auto drawn_sum = static_cast<float>(1 + 2 * drawn_);
  if (s.has_images) {
    for_points(around, true, add);
    for (int i = 0; i < n; ++i) {
      float& own = values[static_cast<std::size_t>(i)];
      const float drawn = std::pow(drawn_sum, s.touched[i]);
      own = std::min(s.weight[i], own * drawn);
    }
  }
  for (float& value : values) value = outside_ - (outside_ + inside_) * std::min(value, 1.0f);
  return values;
}

void LevelSet::fill_grid(const std::vector<Values>& values, const std::vector<Values>& beyond) {
  grid_ = openvdb::FloatGrid::create(outside_);
  grid_->setGridClass(openvdb::GRID_LEVEL_SET);
  auto accessor = grid_->getAccessor();
  const float cut_from = inside_ + static_cast<float>(farthest_level());
  VolumeCount count(-inside_, outside_);  // of what is outside of walls
  const auto per_voxel = static_cast<float>(1 / voxel());
  for (std::uint32_t node = 0; node < cells_.size(); ++node) {
    if (values[node].empty()) continue;
    const Cell<3> cell = cells_.cell(node);
    const std::size_t step = values[node].size() > 1 ? 1 : 0;
    const float* value = values[node].data();
    const float* away = beyond[node].empty() ? nullptr : beyond[node].data();
    const float behind = farthest_behind(node);
    for (int i = 0; i < per_cell_; ++i)
      for (int j = 0; j < per_cell_; ++j)
        for (int k = 0; k < per_cell_; ++k, value += step, away += away != nullptr ? 1 : 0) {
          const float free = away == nullptr ? 1 : 0.5f + (*away - behind) * per_voxel;
          count.add(*value, std::clamp(free, 0.0f, 1.0f));
          if (!(*value < outside_)) continue;
          const openvdb::Coord at(cell[0] * per_cell_ + i, cell[1] * per_cell_ + j,
                                  cell[2] * per_cell_ + k);
          accessor.setValue(at, *value);
          if (away != nullptr && *away < cut_from) cuts_.push_back({at, *value, *away});
        }
  }
  if (!is_anisotropic_) likely_level_ = count.level(volume_ / std::pow(voxel(), 3));
}

// How far behind its walls a cell's voxels are cut.
float LevelSet::farthest_behind(std::uint32_t node) const {
  bool face = false;
  walls_.each(near_walls(node), [&](int wall) { face = face || walls_.is_face(wall); });
  return static_cast<float>((face ? kBehindFace : kBehindCollider) * voxel());
}

void LevelSet::cut(double level) {
  auto accessor = grid_->getAccessor();
  const auto shift = static_cast<float>(level);
  for (const Cut& cut : cuts_)
    accessor.setValueOnly(cut.at, std::min(std::max(cut.phi, shift - cut.beyond), outside_));
}

openvdb::FloatGrid::Ptr LevelSet::whole(double level) const {
  openvdb::FloatGrid::Ptr grid = grid_->deepCopy();
  const auto transform = openvdb::math::Transform::createLinearTransform(voxel());
  transform->postTranslate(openvdb::Vec3d(place_of(0)));
  grid->setTransform(transform);
  const auto shift = static_cast<float>(level);
  const auto nearest_wall = [&](const openvdb::Coord& at) {
    const openvdb::Vec3d x = grid->indexToWorld(at);
    const Walls::V3 place{{x[0], x[1], x[2]}};
    return static_cast<float>(walls_.distance(walls_.near(place, spacing_), place));
  };
  for (const Cut& cut : cuts_)
    grid->tree().setValueOnly(cut.at, std::max(cut.phi, shift - nearest_wall(cut.at)));
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
      const double away = std::max((grid->indexToWorld(*at) - center).length() - radius,
                                   -double{nearest_wall(*at)});
      if (away < accessor.getValue(*at)) accessor.setValue(*at, static_cast<float>(away));
    }
  }
  return grid;
}

}  // namespace firn
#endif

#include "src/surface/particle_surface.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "firn/error.h"
#include "kernels/exec/parallel_for.h"
#include "kernels/math/vec.h"
#include "src/surface/walls.h"

#if defined(FIRN_WITH_OPENVDB)
#include <openvdb/tools/VolumeToMesh.h>

#include "src/surface/level_set.h"
#include "src/surface/pieces.h"
#include "src/surface/slivers.h"
#include "src/surface/unit_sphere.h"
#include "src/surface/wall_contact.h"
#endif

namespace firn {
namespace {

using V3 = Vec<double, 3>;

V3 vertex(const SurfaceMesh& mesh, std::uint32_t i) {
  const float* x = &mesh.positions[3 * std::size_t{i}];
  return {{x[0], x[1], x[2]}};
}

}  // namespace

double enclosed_volume(const SurfaceMesh& mesh) {
  if (mesh.positions.empty()) return 0;
  const V3 origin = vertex(mesh, 0);  // near, so that differences keep their digits
  double sum = 0;
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
    const V3 a = vertex(mesh, mesh.triangles[t]) - origin;
    const V3 b = vertex(mesh, mesh.triangles[t + 1]) - origin;
    const V3 c = vertex(mesh, mesh.triangles[t + 2]) - origin;
    sum += dot(a, cross(b, c));
  }
  return sum / 6;
}

// The neighbours of vertex i: from first[i] on, those that follow it in its triangles, which are
// all of a closed mesh.
void smooth(SurfaceMesh& mesh, int rounds) {
  constexpr float kForth = 0.5f, kBack = -0.53f;
  struct alignas(16) Place {
    float x[4] = {};
  };
  const std::size_t n = mesh.vertices();
  std::vector<std::uint32_t> first(n + 1, 0), neighbours(mesh.triangles.size());
  for (const std::uint32_t corner : mesh.triangles) ++first[corner + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3)
    for (std::size_t c = 0; c < 3; ++c)
      neighbours[next[mesh.triangles[t + c]]++] = mesh.triangles[t + (c + 1) % 3];
  std::vector<Place> from(n), to(n);
  for (std::size_t i = 0; i < n; ++i) std::copy_n(&mesh.positions[3 * i], 3, from[i].x);
  for (int step = 0; step < 2 * rounds; ++step) {
    const float share = step % 2 == 0 ? kForth : kBack;
    parallel_for(n, 0, [&](std::size_t i) {
      Place sum;
      for (std::uint32_t k = first[i]; k < first[i + 1]; ++k)
        for (int c = 0; c < 4; ++c) sum.x[c] += from[neighbours[k]].x[c];
      const float part = 1 / std::max(static_cast<float>(first[i + 1] - first[i]), 1.0f);
      for (int c = 0; c < 4; ++c)
        to[i].x[c] = from[i].x[c] + share * (sum.x[c] * part - from[i].x[c]);
    });
    from.swap(to);
  }
  for (std::size_t i = 0; i < n; ++i) std::copy_n(from[i].x, 3, &mesh.positions[3 * i]);
}

#if defined(FIRN_WITH_OPENVDB)

namespace {

// Twice the area of a triangle, along its normal.
V3 area_vector(const SurfaceMesh& mesh, std::size_t t) {
  const V3 a = vertex(mesh, mesh.triangles[t]);
  return cross(vertex(mesh, mesh.triangles[t + 1]) - a, vertex(mesh, mesh.triangles[t + 2]) - a);
}

void normalize(float* n) {
  const float length = std::hypot(n[0], n[1], n[2]);
  for (int c = 0; c < 3; ++c) n[c] = length > 0 ? n[c] / length : static_cast<float>(c == 1);
}

}  // namespace

bool surfaces_available() { return true; }
void require_surfaces() {}

class ParticleSurface::Impl {
 public:
  Impl(const SurfaceParticles& particles, const SurfaceSettings& settings, const Walls& walls)
      : set(particles, settings, walls), smoothing_(settings.smoothing) {
    find_level();
    add_lone_drops();
    find_normals();
  }

  LevelSet set;
  double level = 0;
  SurfaceMesh mesh;
  std::vector<std::uint32_t> on_walls;  // triangles of the mesh

  // place(vertex, x) for each vertex, but for those of lone drops drop(vertex, particle).
  template <class P, class L>
  void for_vertices(P&& place, L&& drop) const;

 private:
  void find_level();
  void add_lone_drops();
  void mesh_at(double level);
  std::vector<float> drop_at(const LevelSet::Drop& drop, const SurfaceMesh& sphere) const;
  double area() const;
  void find_normals();

  // Vertices behind those of the level set, so many for each lone drop.
  std::size_t first_of_drops_ = 0, per_drop_ = 0;
  int smoothing_;
  double wet_ = 0;  // of the last mesh the part that lies on walls
};

// From where voxels say, by the area at first, then by the secant; the best of a few. Where nothing
// lies next to anything the voxels may be too coarse for any level to enclose the volume to the
// last percent. Walls do not move with the level: where they hold nearly all of a liquid, what
// little is free stays by its particles, since a level that had it all from there would open
// bubbles within.
void ParticleSurface::Impl::find_level() {
  constexpr int kMostMeshes = 6;
  constexpr double kTolerance = 0.005;
  constexpr double kLowestWet = 0.25;  // spacings
  constexpr double kMostlyWet = 0.5;
  const double farthest = set.farthest_level();
  level = std::clamp(set.likely_level(), -farthest, farthest);
  mesh_at(level);
  const double lowest = -std::lerp(farthest, kLowestWet * set.spacing(), wet_);
  if (level < lowest || (level < 0 && wet_ > kMostlyWet)) {
    level = wet_ > kMostlyWet ? 0 : lowest;
    mesh_at(level);
  }
  double slope = area(), at = level, volume = enclosed_volume(mesh);
  double missing = set.volume() - volume, best = std::abs(missing);
  SurfaceMesh kept = mesh;
  for (int i = 1; i < kMostMeshes && best > kTolerance * set.volume() && slope > 0; ++i) {
    const double next = std::clamp(at + missing / slope, lowest, farthest);
    if (next == at) break;
    mesh_at(next);
    slope = (enclosed_volume(mesh) - volume) / (next - at);
    at = next;
    volume = enclosed_volume(mesh);
    missing = set.volume() - volume;
    if (std::abs(missing) >= best) continue;
    best = std::abs(missing);
    level = at;
    kept = mesh;
  }
  mesh = std::move(kept);
  constexpr double kLeast = 0.02;  // of a particle
  drop_crumbs(mesh, kLeast * std::pow(set.spacing(), 3));
  if (!set.walls().none()) collapse_slivers(mesh, set.voxel());
}

// A sphere of triangles for each, of exactly its volume.
void ParticleSurface::Impl::add_lone_drops() {
  constexpr std::size_t kManyDrops = 20'000;  // of which one sees little
  const SurfaceMesh sphere = unit_sphere(set.lone().size() > kManyDrops ? 0 : 1);
  first_of_drops_ = mesh.vertices();
  per_drop_ = sphere.vertices();
  mesh.positions.resize(3 * (first_of_drops_ + per_drop_ * set.lone().size()));
  parallel_for(set.lone().size(), 0, [&](std::size_t i) {
    const std::vector<float> own = drop_at(set.lone()[i], sphere);
    std::copy(own.begin(), own.end(),
              mesh.positions.begin() +
                  static_cast<std::ptrdiff_t>(3 * (first_of_drops_ + i * per_drop_)));
  });
  for (std::size_t i = 0; i < set.lone().size(); ++i)
    for (const std::uint32_t corner : sphere.triangles)
      mesh.triangles.push_back(static_cast<std::uint32_t>(first_of_drops_ + i * per_drop_) +
                               corner);
}

// Of its vertices the positions. At a wall, of which that counts which is next to its middle, it is
// flat, and larger by as much: in a corner twice as large, where an eighth of a ball is left.
std::vector<float> ParticleSurface::Impl::drop_at(const LevelSet::Drop& drop,
                                                  const SurfaceMesh& sphere) const {
  constexpr int kRounds = 6;
  constexpr double kLargest = 2;
  SurfaceMesh own{sphere.positions, {}, sphere.triangles};
  const double free_scale = std::cbrt(drop.volume / enclosed_volume(sphere));
  const Walls& walls = set.walls();
  V3 center{{drop.x[0], drop.x[1], drop.x[2]}};
  const Walls::Set near = walls.near(center, kLargest * free_scale);
  if (near != 0) center = walls.pushed_out(near, center);
  std::vector<std::pair<V3, double>> sides;
  walls.each(
      near, [&](int i) { sides.emplace_back(walls.normal(i, center), walls.distance(i, center)); });
  double scale = free_scale;
  for (int round = 0; round < (near != 0 ? kRounds : 1); ++round) {
    if (round > 0)
      scale = std::min(scale * std::cbrt(drop.volume / std::max(enclosed_volume(own), 1e-30)),
                       kLargest * free_scale);
    for (std::size_t i = 0; i < own.positions.size(); i += 3) {
      V3 off;
      for (int c = 0; c < 3; ++c)
        off[c] = scale * sphere.positions[i + static_cast<std::size_t>(c)];
      for (const auto& [n, away] : sides) off += n * std::max(0.0, -away - dot(n, off));
      const V3 x = near != 0 ? walls.pushed_out(near, center + off) : center + off;
      for (int c = 0; c < 3; ++c)
        own.positions[i + static_cast<std::size_t>(c)] = static_cast<float>(x[c]);
    }
  }
  return std::move(own.positions);
}

void ParticleSurface::Impl::mesh_at(double level) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  set.cut(level);
  openvdb::tools::volumeToMesh(*set.grid(), points, triangles, quads, level);
  mesh.positions.resize(3 * points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int a = 0; a < 3; ++a)
      mesh.positions[3 * i + a] = static_cast<float>(set.place_of(points[i][a]));
  mesh.triangles.clear();
  mesh.triangles.reserve(3 * triangles.size() + 6 * quads.size());
  // Seen from outside OpenVDB's go round clockwise.
  for (const openvdb::Vec3I& t : triangles)
    mesh.triangles.insert(mesh.triangles.end(), {t[0], t[2], t[1]});
  for (const openvdb::Vec4I& q : quads) {
    const bool first =
        (points[q[0]] - points[q[2]]).lengthSqr() < (points[q[1]] - points[q[3]]).lengthSqr();
    if (first)
      mesh.triangles.insert(mesh.triangles.end(), {q[0], q[2], q[1], q[0], q[3], q[2]});
    else
      mesh.triangles.insert(mesh.triangles.end(), {q[0], q[3], q[1], q[1], q[3], q[2]});
  }
  smooth(mesh, smoothing_);
  wet_ = push_out_of_walls(mesh, set);
}

double ParticleSurface::Impl::area() const {
  double sum = 0;
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
    sum += 0.5 * norm(area_vector(mesh, t));
  }
  return sum;
}

// Means over the triangles about a vertex, by area: over the free ones where there are such, so
// that at the edge of a wall none points into this, where no light is.
void ParticleSurface::Impl::find_normals() {
  mesh.normals.assign(mesh.positions.size(), 0.0f);
  on_walls.clear();
  const std::vector<char> is_on = vertices_on_walls(mesh, set);
  const auto lies_on_wall = [&](std::size_t t) {
    return !is_on.empty() && is_on[mesh.triangles[t]] && is_on[mesh.triangles[t + 1]] &&
           is_on[mesh.triangles[t + 2]];
  };
  std::vector<char> is_free(mesh.vertices(), 0);
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3)
    for (std::size_t k = 0; k < 3 && !lies_on_wall(t); ++k) is_free[mesh.triangles[t + k]] = 1;
  for (std::size_t t = 0; t + 2 < mesh.triangles.size(); t += 3) {
    const V3 n = area_vector(mesh, t);
    const bool on_wall = lies_on_wall(t);
    if (on_wall) on_walls.push_back(static_cast<std::uint32_t>(t / 3));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = mesh.triangles[t + k];
      if (on_wall && is_free[i]) continue;
      for (int c = 0; c < 3; ++c)
        mesh.normals[3 * i + static_cast<std::size_t>(c)] += static_cast<float>(n[c]);
    }
  }
  for (std::size_t i = 0; i < mesh.vertices(); ++i) normalize(&mesh.normals[3 * i]);
}

SurfaceMesh ParticleSurface::creased(std::vector<std::uint32_t>& copied) && {
  SurfaceMesh mesh = std::exchange(impl_->mesh, {});
  const std::size_t own = mesh.vertices();
  copied.clear();
  constexpr std::uint32_t kNone = ~0u, kFree = kNone - 1;
  std::vector<std::uint32_t> copy(mesh.vertices(), kNone);  // or that a free triangle has it
  auto wet = impl_->on_walls.begin();
  for (std::uint32_t t = 0; t < mesh.triangles.size() / 3; ++t) {
    if (wet != impl_->on_walls.end() && *wet == t) {
      ++wet;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) copy[mesh.triangles[3 * std::size_t{t} + k]] = kFree;
  }
  for (const std::size_t t : impl_->on_walls) {
    const V3 n = area_vector(mesh, 3 * t);
    for (std::size_t k = 0; k < 3; ++k) {
      std::uint32_t& corner = mesh.triangles[3 * t + k];
      if (copy[corner] == kNone) continue;
      if (copy[corner] == kFree) {
        copy[corner] = static_cast<std::uint32_t>(mesh.vertices());
        copied.push_back(corner);
        for (std::size_t c = 0; c < 3; ++c)
          mesh.positions.push_back(mesh.positions[3 * std::size_t{corner} + c]);
        mesh.normals.resize(mesh.positions.size(), 0.0f);
      }
      corner = copy[corner];
      for (int c = 0; c < 3; ++c)
        mesh.normals[3 * std::size_t{corner} + static_cast<std::size_t>(c)] +=
            static_cast<float>(n[c]);
    }
  }
  for (std::size_t i = own; i < mesh.vertices(); ++i) normalize(&mesh.normals[3 * i]);
  return mesh;
}

template <class P, class L>
void ParticleSurface::Impl::for_vertices(P&& place, L&& drop) const {
  parallel_for(mesh.vertices(), 0, [&](std::size_t i) {
    const float* x = &mesh.positions[3 * i];
    if (i < first_of_drops_) return place(i, std::array<float, 3>{x[0], x[1], x[2]});
    drop(i, std::size_t{set.lone()[(i - first_of_drops_) / per_drop_].particle});
  });
}

std::vector<float> ParticleSurface::at_vertices(std::span<const float> values,
                                                int components) const {
  std::vector<float> result(mesh().vertices() * components);
  const NearMeans means = impl_->set.means(values, components);
  impl_->for_vertices([&](std::size_t i, const auto& x) { means.at(x, &result[i * components]); },
                      [&](std::size_t i, std::size_t p) {
                        std::copy_n(&values[p * components], components, &result[i * components]);
                      });
  return result;
}

std::vector<float> ParticleSurface::fitted_at_vertices(std::span<const float> vectors) const {
  std::vector<float> result(3 * mesh().vertices());
  const NearFits fits = impl_->set.fits(vectors);
  impl_->for_vertices(
      [&](std::size_t i, const auto& x) { std::ranges::copy(fits.at(x), &result[3 * i]); },
      [&](std::size_t i, std::size_t p) { std::copy_n(&vectors[3 * p], 3, &result[3 * i]); });
  return result;
}

std::vector<std::uint32_t> ParticleSurface::nearest_to_vertices() const {
  std::vector<std::uint32_t> result(mesh().vertices(), 0);
  impl_->for_vertices(
      [&](std::size_t i, const auto& x) {
        const std::uint32_t p = impl_->set.nearest(x);
        if (p != KeyTable::kNone) result[i] = p;
      },
      [&](std::size_t i, std::size_t p) { result[i] = static_cast<std::uint32_t>(p); });
  return result;
}

const LevelSet& ParticleSurface::level_set() const { return impl_->set; }
double ParticleSurface::level() const { return impl_->level; }

#else  // no OpenVDB

bool surfaces_available() { return false; }
void require_surfaces() {
  throw Error(
      ErrorCategory::kScene,
      "surfaces of particles: built without OpenVDB (configure with -DFIRN_WITH_OPENVDB=ON)");
}

class ParticleSurface::Impl {
 public:
  Impl(const SurfaceParticles&, const SurfaceSettings&, const Walls&) { require_surfaces(); }
  SurfaceMesh mesh;
};

SurfaceMesh ParticleSurface::creased(std::vector<std::uint32_t>&) && { return {}; }
std::vector<float> ParticleSurface::at_vertices(std::span<const float>, int) const { return {}; }
std::vector<float> ParticleSurface::fitted_at_vertices(std::span<const float>) const { return {}; }
std::vector<std::uint32_t> ParticleSurface::nearest_to_vertices() const { return {}; }

#endif

ParticleSurface::ParticleSurface(const SurfaceParticles& particles, const SurfaceSettings& settings)
    : ParticleSurface(particles, settings, Walls()) {}
ParticleSurface::ParticleSurface(const SurfaceParticles& particles, const SurfaceSettings& settings,
                                 const Walls& walls)
    : impl_(std::make_unique<Impl>(particles, settings, walls)) {}
ParticleSurface::~ParticleSurface() = default;
ParticleSurface::ParticleSurface(ParticleSurface&&) noexcept = default;
ParticleSurface& ParticleSurface::operator=(ParticleSurface&&) noexcept = default;
const SurfaceMesh& ParticleSurface::mesh() const { return impl_->mesh; }

}  // namespace firn

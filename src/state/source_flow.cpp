#include "src/state/source_flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "kernels/collide/rigid_motion.h"
#include "src/scene/boundary_types.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/sampling.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;

constexpr double kSlice = 0.5;  // cells that the pattern moves from one emission to the next
// A place is taken where there is more than this times what a full shape has around it: particles
// of a flow that is only uneven stay below.
constexpr double kFull = 1.25;

Vector vec(const Vec3& a) { return {{a[0], a[1], a[2]}}; }
Vec3 vec3(const Vector& a) { return {a[0], a[1], a[2]}; }
Vec3 sum(const Vec3& a, const Vec3& b, double scale = 1) {
  return {a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]};
}

RigidPose<double> pose_of(const Source& source, double time) {
  if (!source.motion) return pose_at<double>({}, time);
  const Keyframes& motion = *source.motion;
  const std::size_t n = motion.times.size();
  std::vector<double> keys;  // translations, then rotations; none: zero
  for (const auto* list : {&motion.translation, &motion.rotation})
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < 3; ++a) keys.push_back(list->empty() ? 0 : (*list)[i][a]);
  return pose_at<double>({motion.times.data(), keys.data(), keys.data() + 3 * n,
                          static_cast<int>(n), vec(motion.pivot)},
                         time);
}

// How full space is around a point: volumes weighed by the quadratic B-spline of their distance, in
// cells.
class FilledSpace {
 public:
  explicit FilledSpace(double dx) : dx_(dx) {}
  void add(const Vec3& x, double volume) { cells_[cell(x, 0, 0, 0)].push_back({x, volume}); }
  double at(const Vec3& x) const {
    double filled = 0;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j)
        for (int k = -2; k <= 2; ++k) {
          const auto found = cells_.find(cell(x, i, j, k));
          if (found == cells_.end()) continue;
          for (const Grain& g : found->second) filled += g.volume * weight(norm(vec(g.x) - vec(x)));
        }
    return filled;
  }

 private:
  struct Grain {
    Vec3 x;
    double volume;
  };
  using Cell = std::array<std::int64_t, 3>;
  Cell cell(const Vec3& x, int i, int j, int k) const {
    const auto of = [&](double c) { return static_cast<std::int64_t>(std::floor(c / dx_)); };
    return {of(x[0]) + i, of(x[1]) + j, of(x[2]) + k};
  }
  double weight(double distance) const {
    const double r = distance / dx_, rest = std::max(0.0, 1.5 - r);
    return r < 0.5 ? 0.75 - r * r : 0.5 * rest * rest;
  }

  double dx_;
  std::map<Cell, std::vector<Grain>> cells_;
};

}  // namespace

Shape within_walls(const Scene& scene, const Source& source) {
  const int d = scene.simulation.dimension;
  if (!scene.grid.domain || source.motion) return source.shape;
  const Domain& domain = *scene.grid.domain;
  const CompiledShape outline = outline_shape(source.shape, d, scene.grid.dx);
  if (!outline.bounded()) return source.shape;
  Shape room;
  room.type = ShapeType::kBox;
  bool cut = false;
  for (std::size_t a = 0; a < static_cast<std::size_t>(d); ++a) {
    const double low = outline.min[a] - scene.grid.dx, high = outline.max[a] + scene.grid.dx;
    const double same = 1e-6 * scene.grid.dx;
    const bool below = is_wall(domain.boundary[2 * a]) && outline.min[a] < domain.min[a] - same,
               above = is_wall(domain.boundary[2 * a + 1]) && outline.max[a] > domain.max[a] + same;
    room.min[a] = below ? domain.min[a] : std::min(low, domain.max[a]);
    room.max[a] = above ? domain.max[a] : std::max(high, domain.min[a]);
    // Beyond the wall: nothing is left.
    room.min[a] = std::min(room.min[a], room.max[a] - scene.grid.dx);
    cut = cut || below || above;
  }
  if (!cut) return source.shape;
  Shape both;
  both.type = ShapeType::kIntersection;
  both.children = {source.shape, room};
  both.place = source.shape.place;
  return both;
}

SourceFlow::SourceFlow(const Scene& scene, std::size_t source)
    : scene_(scene),
      source_(scene.sources[source]),
      shape_(
          compile_shape(within_walls(scene, source_), scene.simulation.dimension, scene.grid.dx)),
      seed_(scene.simulation.seed + 0xd1342543de82ef95ull * (source + 1)),
      per_cell_(particles_per_cell(source_.particles_per_cell, scene.simulation.dimension)) {
  require_bounded(shape_, "source \"" + source_.name + "\"");
  const double speed = norm(vec(source_.velocity));
  if (speed > 0) period_ = kSlice * scene.grid.dx / speed;
  // What the shape holds is shared out among the points that it has in the mean.
  constexpr std::size_t kEnough = 20000, kMost = 64;
  std::size_t points = 0, entered = 0, windows = 0;
  do {
    const Window w = window(windows);
    points += w.in_shape.size();
    if (windows > 0) entered += w.entered.size();
  } while (period_ > 0 && ++windows < kMost && (points < kEnough || windows < 2));
  windows = std::max(windows, std::size_t{1});
  if (windows > 1) entering_ = static_cast<double>(entered) / static_cast<double>(windows - 1);
  if (points > 0)
    volume_ = shape_volume(shape_, scene.grid.dx) * static_cast<double>(windows) /
              static_cast<double>(points);
}

double SourceFlow::time(std::uint64_t emission) const {
  return source_.start + static_cast<double>(emission) * period_;
}

Vec3 SourceFlow::moved(std::uint64_t emission) const {
  return sum({}, source_.velocity, static_cast<double>(emission) * period_);
}

SourceFlow::Window SourceFlow::window(std::uint64_t emission) const {
  Window w;
  w.in_shape =
      sample_moved(shape_, scene_.grid.dx, per_cell_, source_.sampling, seed_, moved(emission));
  // The same test as then, on the same numbers: no point is lost or comes twice.
  for (std::size_t i = 0; i < w.in_shape.size(); ++i)
    if (emission == 0 || !(distance(shape_, sum(w.in_shape[i], moved(emission - 1))) < 0))
      w.entered.push_back(i);
  return w;
}

ParticleBatch SourceFlow::batch(std::uint64_t emission) const {
  const Window w = window(emission);
  return made_of(w, w.entered, emission);
}
ParticleBatch SourceFlow::batch(std::uint64_t emission, const FindParticles& present) const {
  // What flows in makes its own room there; what the nozzle is full of already does not.
  if (traits_of(scene_).staggered && emission > 0) return batch(emission);
  const Window w = window(emission);
  return made_of(w, with_room(w, emission, present), emission);
}

std::vector<std::size_t> SourceFlow::with_room(const Window& window, std::uint64_t emission,
                                               const FindParticles& present) const {
  const RigidPose<double> pose = pose_of(source_, time(emission));
  Vector low = Vector::filled(kLargest<double>), high = Vector::filled(-kLargest<double>);
  for (int corner = 0; corner < 8; ++corner) {
    Vector x;
    for (int a = 0; a < 3; ++a) {
      const auto i = static_cast<std::size_t>(a);
      const bool flat = a == 2 && shape_.dimension == 2;
      x[a] = flat ? 0 : (corner >> a & 1) != 0 ? shape_.max[i] : shape_.min[i];
    }
    x = to_world(pose, x);
    for (int a = 0; a < 3; ++a) low[a] = std::min(low[a], x[a]), high[a] = std::max(high[a], x[a]);
  }
  FilledSpace full(scene_.grid.dx), filled(scene_.grid.dx);
  const Vec3 by = moved(emission);
  for (const Vec3& point : window.in_shape) full.add(sum(point, by), volume_);
  for (const std::size_t i : window.entered) filled.add(sum(window.in_shape[i], by), volume_);
  bool any = false;
  for (const PresentParticle& p : present(vec3(low), vec3(high))) {
    const Vec3 x = vec3(to_body(pose, vec(p.position)));
    if (!(distance(shape_, x) < 0)) continue;
    filled.add(x, p.volume);
    any = true;
  }
  if (!any) return window.entered;
  std::vector<std::size_t> chosen;
  for (const std::size_t i : window.entered) {
    const Vec3 x = sum(window.in_shape[i], by);
    if (filled.at(x) <= kFull * full.at(x)) chosen.push_back(i);
  }
  return chosen;
}

// How long ago a point came in, s, by bisection. The whole first filling comes at once.
double SourceFlow::since_entry(const Vec3& point, std::uint64_t emission) const {
  if (emission == 0) return 0;
  double inside = 0, outside = period_;
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = 0.5 * (inside + outside);
    const Vec3 x = sum(sum(point, moved(emission)), source_.velocity, -middle);
    (distance(shape_, x) < 0 ? inside : outside) = middle;
  }
  return inside;
}

ParticleBatch SourceFlow::made_of(const Window& window, const std::vector<std::size_t>& chosen,
                                  std::uint64_t emission) const {
  ParticleBatch batch;
  batch.material = static_cast<std::uint32_t>(source_.material);
  batch.volume = volume_;
  batch.mass = volume_ * scene_.materials[batch.material].density;
  batch.phase = source_.phase;
  for (const std::size_t i : chosen)
    batch.position.push_back(sum(window.in_shape[i], moved(emission)));
  batch.velocity.assign(chosen.size(), source_.velocity);
  // Once it is in, a particle flies on by itself while the source moves.
  for (std::size_t k = 0; source_.motion && k < chosen.size(); ++k) {
    const double flown = since_entry(window.in_shape[chosen[k]], emission);
    const RigidPose<double> pose = pose_of(source_, time(emission) - flown);
    const Vec3 entry = sum(batch.position[k], source_.velocity, -flown);
    const Vector x = to_world(pose, vec(entry));
    const Vector v = velocity_at(pose, x) + rotate_to_world(pose, vec(source_.velocity));
    batch.velocity[k] = vec3(v);
    batch.position[k] = vec3(x + flown * v);
  }
  warm(scene_, "source \"" + source_.name + "\"", source_.temperature, batch);
  return batch;
}

SourceInflow SourceFlow::inflow(const ParticleBatch& coming, std::uint64_t emission) const {
  const RigidPose<double> pose = pose_of(source_, time(emission));
  const auto count = static_cast<double>(std::max(coming.position.size(), std::size_t{1}));
  return {coming.position, vec3(rotate_to_world(pose, vec(source_.velocity))),
          coming.volume * entering_ / (period_ * count)};
}

}  // namespace firn

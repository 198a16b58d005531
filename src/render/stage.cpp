#include "src/render/stage.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/render/collider_view.h"
#include "src/scene/boundary_types.h"

namespace firn {
namespace {

constexpr double kGroundCosine = 0.6;  // planes steeper than this are walls

Bounds mesh_bounds(const Shape& shape, int dimension) {
  Mesh mesh;
  append_shape(shape, {}, mesh, dimension);
  Bounds bounds;
  for (const V3f& p : mesh.positions) bounds.add({{p[0], p[1], p[2]}});
  return bounds;
}

void sort_planes(const Scene& scene, Stage& stage) {
  std::vector<Plane> planes;
  for (const Collider& collider : scene.colliders) append_planes(collider.shape, {}, planes);
  for (const Plane& plane : planes)
    (dot(plane.normal, stage.up) > kGroundCosine ? stage.ground : stage.walls).push_back(plane);
  if (!stage.ground.empty() || !scene.grid.domain) return;
  const Domain& domain = *scene.grid.domain;
  const std::size_t floor = floor_of(scene.simulation, stage.up);
  if (!is_wall(domain.boundary[floor])) return;
  V3d normal = V3d::zero();
  normal[static_cast<int>(floor / 2)] = floor % 2 == 0 ? 1 : -1;
  stage.floor = {to_vec(floor % 2 == 0 ? domain.min : domain.max), normal};
  stage.ground.push_back(*stage.floor);
}

// Keeps a point out of the ground, and in the domain: material leaves it through open faces, and
// comes back at the other end from periodic ones, if `passes`.
V3d reachable(const Scene& scene, const Stage& stage, V3d x, bool passes = false) {
  for (const std::vector<Plane>* planes : {&stage.ground, &stage.walls})
    for (const Plane& plane : *planes)
      x -= plane.normal * std::min(dot(x - plane.point, plane.normal), 0.0);
  if (!scene.grid.domain) return x;
  const Domain& domain = *scene.grid.domain;
  for (int c = 0; c < scene.simulation.dimension; ++c) {
    const auto low = static_cast<std::size_t>(2 * c);
    const double length = domain.max[c] - domain.min[c];
    if (passes && domain.boundary[low] == BoundaryType::kPeriodic && length > 0)
      x[c] -= length * std::floor((x[c] - domain.min[c]) / length);
    if (!passes || is_wall(domain.boundary[low])) x[c] = std::max(x[c], domain.min[c]);
    if (!passes || is_wall(domain.boundary[low + 1])) x[c] = std::min(x[c], domain.max[c]);
  }
  return x;
}

struct Mover {
  V3d position, velocity;
  std::size_t material;
};

std::vector<Mover> moving_particles(const Snapshot& snapshot, std::size_t about) {
  std::vector<Mover> result;
  const std::size_t stride = 1 + snapshot.size() / about;
  result.reserve(snapshot.size() / stride + 1);
  const auto d = static_cast<std::size_t>(snapshot.dimension);
  for (std::size_t i = 0; i < snapshot.size(); i += stride) {
    Mover mover{position_of(snapshot, i), V3d::zero(), 0};
    if (snapshot.material.size() == snapshot.size()) mover.material = snapshot.material[i];
    if (snapshot.velocity.size() == snapshot.position.size())
      for (std::size_t c = 0; c < d; ++c)
        mover.velocity[static_cast<int>(c)] = snapshot.velocity[i * d + c];
    if (std::isfinite(norm(mover.position)) && std::isfinite(norm(mover.velocity)))
      result.push_back(mover);
  }
  return result;
}

// A sample of the particles, and, for those that are yet to come, the corners of the sources.
std::vector<Mover> movers(const Scene& scene, const Snapshot& snapshot) {
  std::vector<Mover> result = moving_particles(snapshot, 50000);
  for (const Source& source : scene.sources) {
    const Bounds bounds = mesh_bounds(source.shape, scene.simulation.dimension);
    for (int i = 0; i < 8 && !bounds.empty(); ++i)
      result.push_back(
          {bounds.corner(i), to_vec(source.velocity), static_cast<std::size_t>(source.material)});
  }
  return result;
}

// Free flight, cut off at a few sizes of the material: what flies further may leave the picture.
void add_flight(const Scene& scene, const std::vector<Mover>& material, Stage& stage) {
  const V3d gravity = to_vec(scene.simulation.gravity);
  const double reach = stage.focus.diagonal() * (norm(gravity) > 0 ? 1.0 : 0.4);
  const double duration = scene.simulation.frames / scene.simulation.fps;
  Bounds focus = stage.focus;
  for (const Mover& mover : material)
    for (int i = 1; i <= 8; ++i) {
      const double t = duration * i * i / 64;
      V3d flight = mover.velocity * t + gravity * (0.5 * t * t);
      flight *= std::min(1.0, reach / std::max(norm(flight), 1e-30));
      focus.add(reachable(scene, stage, mover.position + flight));
    }
  stage.focus = focus;
}

double lowest(const Bounds& bounds, const V3d& up) {
  double low = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 8; ++i) low = std::min(low, dot(bounds.corner(i), up));
  return low;
}

// How far a column of a material spreads, in heights: dry sand 1.2 where the column is squat (Lube
// et al., J. Fluid Mech. 508, 2004), water further, everything else hardly.
double run_out(MaterialModel model) {
  if (model == MaterialModel::kWeaklyCompressible || model == MaterialModel::kIncompressible)
    return 2.0;
  const bool granular =
      model == MaterialModel::kDruckerPrager || model == MaterialModel::kSandClamp;
  return granular ? 1.2 : 0.0;
}

// The front of a dam that breaks runs at 2 sqrt(g h) [Ritter 1892]; followed for a few of its
// heights.
double dam_front(const Scene& scene, const Material& material, double height) {
  constexpr double kFarthest = 6, kThin = 0.1;  // heights; Pa s
  const bool liquid = material.model == MaterialModel::kWeaklyCompressible ||
                      material.model == MaterialModel::kIncompressible;
  if (!liquid || material.viscosity >= kThin) return 0;
  const double duration = scene.simulation.frames / scene.simulation.fps;
  const double g = norm(to_vec(scene.simulation.gravity));
  return std::min(kFarthest * height, 2 * std::sqrt(g * height) * duration);
}

struct Flow {
  double height = 0;    // m of its own that a material of the scene falls as it spreads
  double distance = 0;  // m that it spreads
};
// Of the materials, from their own heights at the start, the most.
Flow find_flow(const Scene& scene, const std::vector<Mover>& material, const V3d& up) {
  Flow flow;
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Mover& mover : material) {
      if (mover.material != m) continue;
      low = std::min(low, dot(mover.position, up));
      high = std::max(high, dot(mover.position, up));
    }
    if (!(high > low)) continue;
    const double spread = run_out(scene.materials[m].model) * (high - low);
    flow.height = std::max(flow.height, 0.5 * spread);
    flow.distance =
        std::max({flow.distance, spread, dam_front(scene, scene.materials[m], high - low)});
  }
  return flow;
}

// What falls spreads when it lands, by some fraction of the height it fell and of its own size;
// what flows spreads by its own height and more.
void add_spread(const Scene& scene, const Bounds& start, const std::vector<Mover>& material,
                Stage& stage) {
  stage.drop = std::max(0.0, lowest(start, stage.up) - lowest(stage.focus, stage.up));
  if (norm(to_vec(scene.simulation.gravity)) == 0) return;
  const double margin = 0.12 * start.diagonal() + 0.2 * std::min(stage.drop, start.diagonal()) +
                        find_flow(scene, material, stage.up).distance;
  V3d sideways;
  for (int c = 0; c < 3; ++c) sideways[c] = std::abs(stage.up[c]) > 0.9 ? 0 : margin;
  if (scene.simulation.dimension == 2) sideways[2] = 0;
  Bounds wide = stage.focus;
  for (const V3d& corner : {stage.focus.min - sideways, stage.focus.max + sideways})
    wide.add(reachable(scene, stage, corner));
  stage.focus = wide;
}

// Of what moves by key frames, all of its way.
Bounds collider_bounds(const Scene& scene, std::size_t collider) {
  constexpr int kMoments = 12;
  const Bounds at_rest = mesh_bounds(scene.colliders[collider].shape, scene.simulation.dimension);
  if (at_rest.empty() || !scene.colliders[collider].motion) return at_rest;
  const double duration = scene.simulation.frames / scene.simulation.fps;
  Bounds bounds;
  for (int moment = 0; moment <= kMoments; ++moment) {
    const ColliderState state = scripted_colliders(scene, duration * moment / kMoments)[collider];
    const Affine pose = pose_of(state.rotation, state.translation, state.pivot);
    for (int i = 0; i < 8; ++i) bounds.add(pose.point(at_rest.corner(i)));
  }
  return bounds;
}

// Colliders belong in the picture as far as they are not much larger than the material.
void add_colliders(const Scene& scene, Stage& stage) {
  Bounds limit = stage.focus;
  const V3d margin = V3d::filled(0.35 * stage.focus.diagonal());
  limit.min -= margin;
  limit.max += margin;
  for (std::size_t collider = 0; collider < scene.colliders.size(); ++collider) {
    if (!scene.colliders[collider].visible) continue;
    const Bounds bounds = collider_bounds(scene, collider);
    if (bounds.empty()) continue;
    for (int i = 0; i < 8; ++i) {
      V3d corner = bounds.corner(i);
      for (int c = 0; c < 3; ++c) corner[c] = std::clamp(corner[c], limit.min[c], limit.max[c]);
      stage.focus.add(reachable(scene, stage, corner));
    }
  }
}

// Of the material, and of bodies that may hand theirs on to it.
double largest_speed(const Scene& scene, const std::vector<Mover>& material) {
  double speed = 0;
  for (const Mover& mover : material) speed = std::max(speed, norm(mover.velocity));
  for (const Collider& collider : scene.colliders)
    if (collider.dynamics) speed = std::max(speed, norm(to_vec(collider.dynamics->velocity)));
  return speed;
}

}  // namespace

V3d position_of(const Snapshot& snapshot, std::size_t i) {
  V3d x = V3d::zero();
  const auto d = static_cast<std::size_t>(snapshot.dimension);
  for (std::size_t c = 0; c < d; ++c) x[static_cast<int>(c)] = snapshot.position[i * d + c];
  return x;
}

namespace {

double spacing_of(double volume, std::size_t particles, int dimension, double fallback) {
  const double mean = volume / static_cast<double>(particles);
  return mean > 0 ? std::pow(mean, 1.0 / dimension) : fallback;
}

}  // namespace

double mean_spacing(const Snapshot& snapshot, double fallback) {
  double sum = 0;
  for (const float volume : snapshot.volume) sum += volume;
  return spacing_of(sum, snapshot.volume.size(), snapshot.dimension, fallback);
}

std::vector<double> body_spacings(const Snapshot& snapshot, double fallback) {
  const std::vector<std::uint16_t>& body = snapshot.body;
  if (body.empty() || snapshot.volume.size() != body.size()) return {fallback};
  const std::size_t bodies = std::size_t{1} + *std::max_element(body.begin(), body.end());
  std::vector<double> sums(bodies);
  std::vector<std::size_t> counts(bodies);
  for (std::size_t i = 0; i < body.size(); ++i) {
    sums[body[i]] += snapshot.volume[i];
    ++counts[body[i]];
  }
  for (std::size_t b = 0; b < bodies; ++b)
    sums[b] = spacing_of(sums[b], counts[b], snapshot.dimension, fallback);
  return sums;
}

std::size_t floor_of(const SimulationSettings& simulation, const V3d& up) {
  int axis = 0;
  for (int c = 1; c < simulation.dimension; ++c)
    if (std::abs(up[c]) > std::abs(up[axis])) axis = c;
  return static_cast<std::size_t>(2 * axis) + (up[axis] > 0 ? 0u : 1u);
}

Stage make_stage(const Scene& scene, const Snapshot& first) {
  Stage stage;
  const V3d gravity = to_vec(scene.simulation.gravity);
  if (norm(gravity) > 0) stage.up = normalized(-gravity);
  stage.spacing = mean_spacing(first, 0.5 * scene.grid.dx);
  sort_planes(scene, stage);
  const std::vector<Mover> material = movers(scene, first);
  for (const Mover& mover : material) stage.focus.add(mover.position);
  if (stage.focus.empty() && scene.grid.domain) {
    stage.focus.add(to_vec(scene.grid.domain->min));
    stage.focus.add(to_vec(scene.grid.domain->max));
  }
  if (stage.focus.empty()) stage.focus.add(V3d::zero());
  const V3d margin = V3d::filled(std::max(stage.spacing, 1e-9));
  stage.focus.min -= margin;
  stage.focus.max += margin;
  if (scene.simulation.dimension == 2) stage.focus.min[2] = stage.focus.max[2] = 0;
  const Bounds start = stage.focus;
  add_flight(scene, material, stage);
  add_spread(scene, start, material, stage);
  add_colliders(scene, stage);
  // What flows may fall by its own height.
  const double fall = std::max(stage.drop, find_flow(scene, material, stage.up).height);
  stage.speed = std::max(largest_speed(scene, material), std::sqrt(2 * norm(gravity) * fall));
  return stage;
}

Bounds material_bounds(const Scene& scene, const Stage& stage, const Snapshot& snapshot,
                       double ahead) {
  constexpr std::size_t kSample = 8192;
  constexpr double kStray = 0.0025;  // of the particles, which may leave on either side
  std::array<std::vector<double>, 3> places;
  for (const Mover& mover : moving_particles(snapshot, kSample)) {
    const V3d x = ahead > 0 ? reachable(scene, stage, mover.position + mover.velocity * ahead)
                            : mover.position;
    for (int c = 0; c < 3; ++c) places[static_cast<std::size_t>(c)].push_back(x[c]);
  }
  Bounds bounds;
  if (places[0].empty()) return bounds;
  const auto stray = static_cast<std::ptrdiff_t>(kStray * static_cast<double>(places[0].size()));
  for (int c = 0; c < 3; ++c) {
    auto& x = places[static_cast<std::size_t>(c)];
    std::nth_element(x.begin(), x.begin() + stray, x.end());
    bounds.min[c] = x[static_cast<std::size_t>(stray)];
    std::nth_element(x.begin(), x.end() - 1 - stray, x.end());
    bounds.max[c] = *(x.end() - 1 - stray);
  }
  const V3d margin = V3d::filled(std::max(stage.spacing, 1e-9));
  bounds.min -= margin;
  bounds.max += margin;
  if (scene.simulation.dimension == 2) bounds.min[2] = bounds.max[2] = 0;
  return bounds;
}

Snapshot after(const Scene& scene, const Stage& stage, Snapshot snapshot, double seconds) {
  if (snapshot.velocity.size() != snapshot.position.size()) return snapshot;
  const auto d = static_cast<std::size_t>(snapshot.dimension);
  for (std::size_t i = 0; i < snapshot.size(); ++i) {
    V3d x = position_of(snapshot, i);
    for (std::size_t c = 0; c < d; ++c)
      x[static_cast<int>(c)] += seconds * double{snapshot.velocity[i * d + c]};
    x = reachable(scene, stage, x, true);
    for (std::size_t c = 0; c < d; ++c)
      snapshot.position[i * d + c] = static_cast<float>(x[static_cast<int>(c)]);
  }
  return snapshot;
}

void focus_on(const Scene& scene, const Bounds& material, Stage& stage) {
  stage.focus = material;
  add_colliders(scene, stage);
}

}  // namespace firn

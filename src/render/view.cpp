#include "src/render/view.h"

#include <algorithm>
#include <cmath>

namespace firn {
namespace {

constexpr double kGroundCosine = 0.6;  // planes steeper than this are walls

Bounds mesh_bounds(const Shape& shape) {
  Mesh mesh;
  append_shape(shape, {}, mesh);
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
  // The domain's floor is the face that gravity points at.
  int axis = 0;
  for (int c = 1; c < scene.simulation.dimension; ++c)
    if (std::abs(stage.up[c]) > std::abs(stage.up[axis])) axis = c;
  V3d normal = V3d::zero();
  normal[axis] = std::copysign(1.0, stage.up[axis]);
  const Domain& domain = *scene.grid.domain;
  const BoundaryType face =
      domain.boundary[static_cast<std::size_t>(2 * axis) + (normal[axis] > 0 ? 0u : 1u)];
  if (face == BoundaryType::kPeriodic || face == BoundaryType::kOpen) return;
  stage.ground.push_back({to_vec(normal[axis] > 0 ? domain.min : domain.max), normal});
}

// Keeps a point in the domain and out of the ground.
V3d reachable(const Scene& scene, const Stage& stage, V3d x) {
  for (const std::vector<Plane>* planes : {&stage.ground, &stage.walls})
    for (const Plane& plane : *planes)
      x -= plane.normal * std::min(dot(x - plane.point, plane.normal), 0.0);
  if (scene.grid.domain)
    for (int c = 0; c < scene.simulation.dimension; ++c)
      x[c] = std::clamp(x[c], scene.grid.domain->min[c], scene.grid.domain->max[c]);
  return x;
}

struct Mover {
  V3d position, velocity;
  std::size_t material;
};

// A sample of the particles, or, before the first one is emitted, the corners of the sources.
std::vector<Mover> movers(const Scene& scene, const Snapshot& snapshot) {
  std::vector<Mover> result;
  const std::size_t stride = 1 + snapshot.size() / 50000;
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
  for (const Source& source : scene.sources) {
    const Bounds bounds = mesh_bounds(source.shape);
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

// The farthest that any material of the scene will flow, from its own height at the start.
double flow_distance(const Scene& scene, const std::vector<Mover>& material, const V3d& up) {
  double farthest = 0;
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Mover& mover : material) {
      if (mover.material != m) continue;
      low = std::min(low, dot(mover.position, up));
      high = std::max(high, dot(mover.position, up));
    }
    if (high > low) farthest = std::max(farthest, run_out(scene.materials[m].model) * (high - low));
  }
  return farthest;
}

// What falls spreads when it lands, by some fraction of the height it fell and of its own size;
// what flows spreads by its own height and more.
void add_spread(const Scene& scene, const Bounds& start, const std::vector<Mover>& material,
                Stage& stage) {
  stage.drop = std::max(0.0, lowest(start, stage.up) - lowest(stage.focus, stage.up));
  if (norm(to_vec(scene.simulation.gravity)) == 0) return;
  const double margin = 0.12 * start.diagonal() + 0.2 * std::min(stage.drop, start.diagonal()) +
                        flow_distance(scene, material, stage.up);
  V3d sideways;
  for (int c = 0; c < 3; ++c) sideways[c] = std::abs(stage.up[c]) > 0.9 ? 0 : margin;
  if (scene.simulation.dimension == 2) sideways[2] = 0;
  Bounds wide = stage.focus;
  for (const V3d& corner : {stage.focus.min - sideways, stage.focus.max + sideways})
    wide.add(reachable(scene, stage, corner));
  stage.focus = wide;
}

// Colliders belong in the picture as far as they are not much larger than the material.
void add_colliders(const Scene& scene, Stage& stage) {
  Bounds limit = stage.focus;
  const V3d margin = V3d::filled(0.35 * stage.focus.diagonal());
  limit.min -= margin;
  limit.max += margin;
  for (const Collider& collider : scene.colliders) {
    const Bounds bounds = mesh_bounds(collider.shape);
    if (bounds.empty()) continue;
    for (int i = 0; i < 8; ++i) {
      V3d corner = bounds.corner(i);
      for (int c = 0; c < 3; ++c) corner[c] = std::clamp(corner[c], limit.min[c], limit.max[c]);
      stage.focus.add(reachable(scene, stage, corner));
    }
  }
}

double largest_speed(const std::vector<Mover>& material) {
  double speed = 0;
  for (const Mover& mover : material) speed = std::max(speed, norm(mover.velocity));
  return speed;
}

bool hidden_by_wall(const Stage& stage, const V3d& eye) {
  return std::any_of(stage.walls.begin(), stage.walls.end(),
                     [&](const Plane& wall) { return dot(eye - wall.point, wall.normal) <= 0; });
}

// Moves the eye back along the line of sight, and target and eye sideways, until the focus fills
// the picture.
Camera frame_focus(const Stage& stage, const V3d& backward, double aspect) {
  constexpr double kFill = 0.86;  // of the picture's width or height
  Camera camera;
  camera.up = {stage.up[0], stage.up[1], stage.up[2]};
  V3d target = stage.focus.center();
  double distance = 1;
  for (int pass = 0; pass < 4; ++pass) {
    for (int c = 0; c < 3; ++c) {
      camera.target[c] = target[c];
      camera.eye[c] = target[c] + backward[c];
    }
    const Projection view(camera, aspect);
    distance = 0;
    for (int i = 0; i < 8; ++i) {
      const V3d d = stage.focus.corner(i) - target;
      const double across = std::max(std::abs(dot(d, view.right)) / (kFill * view.tan_x),
                                     std::abs(dot(d, view.up)) / (kFill * view.tan_y));
      distance = std::max(distance, across - dot(d, view.forward));
    }
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    Projection at_distance = view;
    at_distance.eye = target + backward * distance;
    for (int i = 0; i < 8; ++i) {
      const std::array<double, 2> p = at_distance.project(stage.focus.corner(i));
      for (int c = 0; c < 2; ++c) {
        low[c] = std::min(low[c], p[c]);
        high[c] = std::max(high[c], p[c]);
      }
    }
    if (pass < 3)
      target += view.right * (0.5 * (low[0] + high[0]) * view.tan_x * distance) +
                view.up * (0.5 * (low[1] + high[1]) * view.tan_y * distance);
  }
  for (int c = 0; c < 3; ++c) camera.eye[c] = target[c] + backward[c] * distance;
  return camera;
}

}  // namespace

void Bounds::add(const V3d& x) {
  for (int c = 0; c < 3; ++c) {
    min[c] = std::min(min[c], x[c]);
    max[c] = std::max(max[c], x[c]);
  }
}

V3d Bounds::corner(int i) const {
  return {{i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2]}};
}

V3d position_of(const Snapshot& snapshot, std::size_t i) {
  V3d x = V3d::zero();
  const auto d = static_cast<std::size_t>(snapshot.dimension);
  for (std::size_t c = 0; c < d; ++c) x[static_cast<int>(c)] = snapshot.position[i * d + c];
  return x;
}

double mean_spacing(const Snapshot& snapshot, double fallback) {
  if (snapshot.volume.empty()) return fallback;
  double sum = 0;
  for (const float volume : snapshot.volume) sum += volume;
  const double mean = sum / static_cast<double>(snapshot.volume.size());
  return mean > 0 ? std::pow(mean, 1.0 / snapshot.dimension) : fallback;
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
  const double fall = std::max(stage.drop, 0.5 * flow_distance(scene, material, stage.up));
  stage.speed = std::max(largest_speed(material), std::sqrt(2 * norm(gravity) * fall));
  return stage;
}

Camera choose_camera(const Scene& scene, const Stage& stage, double aspect) {
  if (scene.output.camera) return *scene.output.camera;
  // From the front (+z where up is y, -y where up is z), turned to the right; from elsewhere only
  // where walls are in the way.
  const auto [behind, right] = perpendicular(stage.up);
  constexpr double kElevation = 0.33, kDegree = 0.0174532925199433;
  Camera best;
  for (const double azimuth : {32.0, -32.0, 60.0, -60.0, 0.0, 148.0, -148.0, 180.0}) {
    const double a = azimuth * kDegree;
    const V3d level = right * std::sin(a) - behind * std::cos(a);
    const V3d backward = stage.up * std::sin(kElevation) + level * std::cos(kElevation);
    const Camera camera = frame_focus(stage, backward, aspect);
    if (azimuth == 32.0) best = camera;
    if (!hidden_by_wall(stage, to_vec(camera.eye))) return camera;
  }
  return best;
}

Projection::Projection(const Camera& camera, double aspect) {
  eye = to_vec(camera.eye);
  forward = normalized(to_vec(camera.target) - eye);
  const V3d side = cross(forward, to_vec(camera.up));
  right = norm(side) > 1e-9 ? normalized(side) : perpendicular(forward)[0];
  up = cross(right, forward);
  tan_y = std::tan(0.5 * camera.fov);
  tan_x = tan_y * aspect;
}

std::array<double, 2> Projection::project(const V3d& x) const {
  const V3d d = x - eye;
  const double depth = dot(d, forward);
  return {dot(d, right) / (depth * tan_x), dot(d, up) / (depth * tan_y)};
}

V3d Projection::direction(double x, double y) const {
  return forward + right * (x * tan_x) + up * (y * tan_y);
}

FlatView choose_flat_view(const Scene& scene, const Stage& stage, int width, int height) {
  Bounds shown = stage.focus;
  double margin = 1.06;
  if (scene.output.camera) {
    const Camera& camera = *scene.output.camera;
    const V3d target = to_vec(camera.target);
    const double half = norm(to_vec(camera.eye) - target) * std::tan(0.5 * camera.fov);
    shown.min = shown.max = target;
    shown.min[1] -= half;
    shown.max[1] += half;
    margin = 1;
  } else if (scene.grid.domain) {
    shown.min = to_vec(scene.grid.domain->min);
    shown.max = to_vec(scene.grid.domain->max);
  }
  const V3d extent = shown.extent() * margin;
  FlatView view;
  view.pixels_per_metre =
      std::min(width / std::max(extent[0], 1e-12), height / std::max(extent[1], 1e-12));
  view.left = shown.center()[0] - 0.5 * width / view.pixels_per_metre;
  view.top = shown.center()[1] + 0.5 * height / view.pixels_per_metre;
  return view;
}

}  // namespace firn

#include "src/render/render.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "firn/error.h"
#include "src/render/flat.h"
#include "src/render/material_view.h"
#include "src/render/overlay.h"
#include "src/render/particle_color.h"
#include "src/render/raytrace.h"
#include "src/render/view.h"
#include "src/surface/material_surfaces.h"

namespace firn {
namespace {

constexpr double kSphereRadius =
    0.6;  // of the particle spacing: neighbours overlap, a mass looks closed
constexpr double kDiscRadius = 0.7;
constexpr double kTracerRadius = 0.3;  // smaller: one can see how densely tracers lie

// Of the picture's size, where a clear material has its colour: a body that fills the picture looks
// as deep whatever its scale.
constexpr double kClearDepth = 0.15;

V3f linear_color(const Vec3& color) {
  return {{srgb_to_linear(static_cast<float>(color[0])),
           srgb_to_linear(static_cast<float>(color[1])),
           srgb_to_linear(static_cast<float>(color[2]))}};
}

Affine to_affine(const ColliderPose& pose) {
  Affine affine{pose.rotation, V3d::zero()};
  affine.offset =
      to_vec(pose.pivot) + to_vec(pose.translation) - affine.direction(to_vec(pose.pivot));
  return affine;
}

// A square about the foot of the perpendicular from `center`.
PlanePatch patch_of(const Plane& plane, const V3d& center, double half_size, const V3f& color) {
  const V3d foot = center - plane.normal * dot(center - plane.point, plane.normal);
  const auto [u, w] = perpendicular(plane.normal);
  return {to_float(foot),
          to_float(plane.normal),
          {to_float(u), to_float(w)},
          static_cast<float>(half_size),
          color};
}

bool is_same(const Affine& a, const Affine& b) {
  return a.linear == b.linear && norm(a.offset - b.offset) == 0;
}

Mesh moved(Mesh mesh, const Affine& pose) {
  for (V3f& x : mesh.positions) x = to_float(pose.point({{x[0], x[1], x[2]}}));
  for (V3f& n : mesh.normals) n = to_float(pose.direction({{n[0], n[1], n[2]}}));
  return mesh;
}

Surface to_surface(const TriangleSurface& triangles) {
  Surface surface;
  for (std::size_t i = 0; i + 2 < triangles.vertices.size(); i += 3)
    surface.mesh.positions.push_back(
        {{triangles.vertices[i], triangles.vertices[i + 1], triangles.vertices[i + 2]}});
  surface.mesh.indices = triangles.indices;
  surface.color = linear_color(triangles.color);
  return surface;
}

// Those that no surface covers.
void add_spheres(const PointLayer& layer, const std::vector<bool>& covered, RayScene& rays) {
  const auto radius = static_cast<float>(layer.radius);
  const auto shown = layer.points->size() -
                     static_cast<std::size_t>(std::count(covered.begin(), covered.end(), true));
  rays.spheres.reserve(rays.spheres.size() + shown);
  rays.sphere_colors.reserve(rays.spheres.capacity());
  for (std::size_t i = 0; i < layer.points->size(); ++i) {
    if (!covered.empty() && covered[i]) continue;
    const V3f x = to_float(position_of(*layer.points, i));
    if (!std::isfinite(x[0] + x[1] + x[2])) continue;
    rays.spheres.push_back({x[0], x[1], x[2], radius});
    rays.sphere_colors.push_back(layer.colors[i]);
    if (!layer.glow.empty()) rays.sphere_glow.push_back(layer.glow[i]);
  }
}

double tracer_spacing(const Scene& scene) {
  return scene.grid.dx * std::pow(scene.tracers.per_cell, -1.0 / scene.simulation.dimension);
}

// Of 1, 2, 5 times a power of ten, the one nearest below `length`.
double round_length(double length) {
  const double power = std::pow(10, std::floor(std::log10(length)));
  return power * (length >= 5 * power ? 5 : length >= 2 * power ? 2 : 1);
}

}  // namespace

class Renderer::Impl {
 public:
  explicit Impl(const Scene& scene);
  Image render(const Snapshot& snapshot, double time, const std::vector<ColliderPose>& poses,
               const std::vector<TriangleSurface>& surfaces, const Snapshot& tracers);

  std::optional<Camera> camera;
  std::optional<ColorRange> range;
  bool captions = true;

 private:
  void look_at(const Snapshot& first);
  Snapshot without_traced(const Snapshot& snapshot) const;
  RayScene ray_scene(const std::vector<PointLayer>& layers, MaterialView materials,
                     const std::vector<Affine>& poses,
                     const std::vector<TriangleSurface>& surfaces);
  void show_meshes(const std::vector<Affine>& poses, const std::vector<TriangleSurface>& surfaces);
  void add_planes(const std::vector<Plane>& planes, const V3f& color, RayScene& rays) const;

  Scene scene_;
  int width_, height_;
  std::optional<Stage> stage_;
  std::optional<ParticleColors> colors_;
  std::vector<Mesh> collider_meshes_;  // at rest
  // Those of the last picture, which stay where nothing has moved; and where they were.
  std::shared_ptr<const RayMeshes> ray_meshes_;
  int shown_meshes_ = 0;
  std::vector<Affine> mesh_poses_;
  std::vector<std::vector<float>> mesh_vertices_;
  FlatView flat_view_;
};

Renderer::Impl::Impl(const Scene& scene)
    : camera(scene.output.camera),
      scene_(scene),
      width_(scene.output.resolution[0]),
      height_(scene.output.resolution[1]) {
  if (width_ <= 0 || height_ <= 0)
    throw Error(ErrorCategory::kScene, "output.resolution: both numbers must be positive");
  if (scene.simulation.dimension == 3) require_ray_tracer();
  ParticleColors(scene, Snapshot{}, Stage{});  // complains about an unknown channel
}

void Renderer::Impl::look_at(const Snapshot& first) {
  stage_ = make_stage(scene_, first);
  colors_.emplace(scene_, first, *stage_);
  camera = choose_camera(scene_, *stage_, static_cast<double>(width_) / height_);
  flat_view_ = choose_flat_view(scene_, *stage_, width_, height_);
  if (scene_.simulation.dimension == 2) return;
  for (const Collider& collider : scene_.colliders)
    append_shape(collider.shape, {}, collider_meshes_.emplace_back());
}

// The particles that tracers do not stand for, with what colours by material and body need.
Snapshot Renderer::Impl::without_traced(const Snapshot& snapshot) const {
  Snapshot rest;
  rest.dimension = snapshot.dimension;
  if (scene_.tracers.alone) return rest;
  const auto d = static_cast<std::size_t>(snapshot.dimension);
  for (std::size_t i = 0; i < snapshot.size(); ++i) {
    const int body = snapshot.body[i];  // or, beyond the bodies, a source
    if (body < static_cast<int>(scene_.bodies.size()) && scene_.tracers.fills(body)) continue;
    rest.id.push_back(snapshot.id[i]);
    rest.body.push_back(snapshot.body[i]);
    rest.volume.push_back(snapshot.volume[i]);
    rest.material.push_back(snapshot.material[i]);
    for (std::size_t c = 0; c < d; ++c) rest.position.push_back(snapshot.position[i * d + c]);
  }
  return rest;
}

// The ground reaches to the horizon; a wall only as far as what happens before it, and it is left
// out of pictures taken from behind it.
void Renderer::Impl::add_planes(const std::vector<Plane>& planes, const V3f& color,
                                RayScene& rays) const {
  const V3d center = stage_->focus.center();
  for (const Plane& plane : planes) {
    if (dot(to_vec(camera->eye) - plane.point, plane.normal) <= 0) continue;
    const bool wall = std::abs(dot(plane.normal, stage_->up)) < 0.6;
    const double size = (wall ? 0.6 : 12.0) * stage_->focus.diagonal();
    rays.planes.push_back(patch_of(plane, center, size, color));
    rays.planes.back().is_ground = !wall;
  }
}

// Large meshes take longer to be made ready than a picture does else.
void Renderer::Impl::show_meshes(const std::vector<Affine>& poses,
                                 const std::vector<TriangleSurface>& surfaces) {
  std::vector<std::vector<float>> vertices;
  vertices.reserve(surfaces.size());
  for (const TriangleSurface& surface : surfaces) vertices.push_back(surface.vertices);
  if (ray_meshes_ && std::equal(poses.begin(), poses.end(), mesh_poses_.begin(), is_same) &&
      vertices == mesh_vertices_)
    return;
  std::vector<Surface> shown;
  for (std::size_t i = 0; i < scene_.colliders.size(); ++i)
    if (!collider_meshes_[i].indices.empty())
      shown.push_back(
          {moved(collider_meshes_[i], poses[i]), linear_color(scene_.colliders[i].color)});
  for (const TriangleSurface& surface : surfaces) shown.push_back(to_surface(surface));
  shown_meshes_ = static_cast<int>(shown.size());
  ray_meshes_ = make_ray_meshes(std::move(shown));
  mesh_poses_ = poses;
  mesh_vertices_ = std::move(vertices);
}

// `materials` are of the first layer.
RayScene Renderer::Impl::ray_scene(const std::vector<PointLayer>& layers, MaterialView materials,
                                   const std::vector<Affine>& poses,
                                   const std::vector<TriangleSurface>& surfaces) {
  RayScene rays;
  rays.up = to_float(stage_->up);
  rays.center = to_float(stage_->focus.center());
  rays.size = static_cast<float>(stage_->focus.diagonal());
  rays.grid_spacing = static_cast<float>(round_length(0.25 * stage_->focus.diagonal()));
  for (const PointLayer& layer : layers)
    add_spheres(layer, &layer == layers.data() ? materials.covered : std::vector<bool>{}, rays);
  for (const Plane& wall : stage_->walls) rays.open_side += to_float(wall.normal);
  std::vector<Plane> all_planes;

  for (std::size_t i = 0; i < scene_.colliders.size(); ++i) {
    const Collider& collider = scene_.colliders[i];
    const V3f color = linear_color(collider.color);
    std::vector<Plane> planes;
    append_planes(collider.shape, poses[i], planes);
    add_planes(planes, color, rays);
    all_planes.insert(all_planes.end(), planes.begin(), planes.end());
  }
  if (all_planes.empty()) add_planes(stage_->ground, linear_color(Collider{}.color), rays);
  show_meshes(poses, surfaces);
  rays.meshes = ray_meshes_;
  std::move(materials).add_to(rays, shown_meshes_);
  return rays;
}

Image Renderer::Impl::render(const Snapshot& snapshot, double time,
                             const std::vector<ColliderPose>& collider_poses,
                             const std::vector<TriangleSurface>& surfaces,
                             const Snapshot& tracers) {
  if (!stage_) look_at(snapshot);
  if (range) colors_->range = *range;
  std::vector<Affine> poses(scene_.colliders.size());
  for (std::size_t i = 0; i < std::min(poses.size(), collider_poses.size()); ++i)
    poses[i] = to_affine(collider_poses[i]);
  const bool flat = scene_.simulation.dimension == 2;
  const bool traced = tracers.size() > 0 && !colors_->is_scalar();
  const Snapshot rest = traced ? without_traced(snapshot) : Snapshot{};
  const Snapshot& particles = traced ? rest : snapshot;
  const double spacing = mean_spacing(snapshot, stage_->spacing);
  std::vector<PointLayer> layers{{&particles, (*colors_)(particles),
                                  (flat ? kDiscRadius : kSphereRadius) * spacing,
                                  colors_->glow(particles)}};
  if (traced)
    layers.push_back({&tracers, (*colors_)(tracers), kTracerRadius * tracer_spacing(scene_)});
  Image image;
  if (flat) {
    image = draw_flat(scene_, layers, poses, flat_view_, width_, height_);
  } else {
    const Projection view(*camera, static_cast<double>(width_) / height_);
    image = ray_trace(ray_scene(layers,
                                view_materials(scene_, particles, *colors_,
                                               kClearDepth * stage_->focus.diagonal()),
                                poses, surfaces),
                      view, width_, height_);
  }
  if (!captions) return image;
  draw_time(image, time, flat);
  if (colors_->is_scalar()) draw_color_bar(image, *colors_, flat);
  return image;
}

double picture_bytes(const Scene& scene, double particles, double tracers) {
  const auto& [width, height] = scene.output.resolution;
  const double per_point = (scene.output.color == "glow" ? 2 : 1) * sizeof(ColorF);
  // Filtered and compressed at most as large again.
  const double drawn = (particles + tracers) * per_point + 3 * 3.0 * width * height;
  if (scene.simulation.dimension == 2) return drawn;
  bool surfaces = false, grains = false;
  for (std::size_t m = 0; m < scene.materials.size(); ++m)
    (is_shown_as_surface(scene, static_cast<int>(m)) ? surfaces : grains) = true;
  const double spheres = tracers + (grains ? particles : 0);
  return drawn + (surfaces ? particles * kSurfaceBytes : 0) +
         spheres * (4 * sizeof(float) + per_point) + ray_trace_bytes(spheres, width, height);
}

Renderer::Renderer(const Scene& scene) : impl_(std::make_unique<Impl>(scene)) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

Image Renderer::render(const Snapshot& snapshot, double time,
                       const std::vector<ColliderPose>& poses,
                       const std::vector<TriangleSurface>& surfaces, const Snapshot& tracers) {
  return impl_->render(snapshot, time, poses, surfaces, tracers);
}
Camera Renderer::camera() const { return impl_->camera.value_or(Camera{}); }
void Renderer::set_color_range(double low, double high) { impl_->range = ColorRange{low, high}; }
void Renderer::set_captions(bool shown) { impl_->captions = shown; }

}  // namespace firn

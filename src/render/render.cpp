#include "src/render/render.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "firn/error.h"
#include "src/render/creases.h"
#include "src/render/flat.h"
#include "src/render/framing.h"
#include "src/render/material_view.h"
#include "src/render/overlay.h"
#include "src/render/particle_color.h"
#include "src/render/raytrace.h"
#include "src/render/surroundings.h"
#include "src/render/view.h"
#include "src/surface/material_surfaces.h"
#include "src/surface/walls.h"

namespace firn {
namespace {

constexpr double kSphereRadius =
    0.6;  // of the particle spacing: neighbours overlap, a mass looks closed
constexpr double kDiscRadius = 0.7;

// Of the picture's size, where a clear material has its colour: a body that fills the picture looks
// as deep whatever its scale.
constexpr double kClearDepth = 0.15;
// Of what pictures show: so far beside it is of grounds and walls that something is cut from.
constexpr double kBeside = 1.5;

V3f linear_color(const Vec3& color) {
  return {{srgb_to_linear(static_cast<float>(color[0])),
           srgb_to_linear(static_cast<float>(color[1])),
           srgb_to_linear(static_cast<float>(color[2]))}};
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
  add_creased_normals(surface.mesh);
  surface.color = linear_color(triangles.color);
  return surface;
}

// Those that no surface covers.
void add_spheres(const PointLayer& layer, const std::vector<bool>& covered, RayScene& rays) {
  const auto shown = layer.points->size() -
                     static_cast<std::size_t>(std::count(covered.begin(), covered.end(), true));
  rays.spheres.reserve(rays.spheres.size() + shown);
  rays.sphere_colors.reserve(rays.spheres.capacity());
  for (std::size_t i = 0; i < layer.points->size(); ++i) {
    if (!covered.empty() && covered[i]) continue;
    const V3f x = to_float(position_of(*layer.points, i));
    if (!std::isfinite(x[0] + x[1] + x[2])) continue;
    rays.spheres.push_back({x[0], x[1], x[2], static_cast<float>(layer.radius(i))});
    rays.sphere_colors.push_back(layer.colors[i]);
    if (!layer.glow.empty()) rays.sphere_glow.push_back(layer.glow[i]);
  }
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
  void aim(const Snapshot& snapshot, double time);
  Image draw(const Snapshot& snapshot, const std::vector<ColliderPose>& poses,
             const std::vector<TriangleSurface>& surfaces, const Snapshot& tracers);
  void write_captions(Image& image, double time);
  Framing& framing() { return framing_; }
  bool shows(const Snapshot& tracers) const { return tracers.size() > 0 && !colors_->is_scalar(); }
  const Scene& scene() const { return scene_; }

  bool captions = true;

 private:
  void look_at(const Snapshot& first, double time);
  Snapshot without_traced(const Snapshot& snapshot) const;
  RayScene ray_scene(const std::vector<PointLayer>& layers, MaterialView materials,
                     const std::vector<Affine>& poses,
                     const std::vector<TriangleSurface>& surfaces);
  void show_meshes(const std::vector<Affine>& poses, const std::vector<TriangleSurface>& surfaces);
  void add_planes(const std::vector<Plane>& planes, const V3f& color, RayScene& rays) const;
  Walls walls_at(const std::vector<ColliderPose>& poses);
  Projection view() const { return {framing_.camera(), static_cast<double>(width_) / height_}; }

  Scene scene_;
  int width_, height_;
  Framing framing_;
  std::optional<Font> font_;  // once it is needed
  std::vector<LegendEntry> legend_;
  std::vector<Outline> outlines_;
  std::optional<GlassBox> glass_;
  std::optional<ParticleColors> colors_;
  std::vector<Mesh> collider_meshes_;  // at rest
  std::optional<SceneWalls> walls_;    // once surfaces are to end at them
  // Those of the last picture, which stay where nothing has moved; and where they were.
  std::shared_ptr<const RayMeshes> ray_meshes_;
  int shown_meshes_ = 0;
  std::vector<Affine> mesh_poses_;
  std::vector<std::vector<float>> mesh_vertices_;
};

Renderer::Impl::Impl(const Scene& scene)
    : scene_(scene),
      width_(scene.output.resolution[0]),
      height_(scene.output.resolution[1]),
      framing_(scene_, width_, height_) {
  if (width_ <= 0 || height_ <= 0)
    throw Error(ErrorCategory::kScene, "output.resolution: both numbers must be positive");
  if (scene.simulation.dimension == 3) require_ray_tracer();
  require_picture_files(scene.output);
  ParticleColors(scene, Snapshot{}, Stage{});  // complains about an unknown channel
}

void Renderer::Impl::look_at(const Snapshot& first, double time) {
  framing_.start(first, time);
  // By what was foretold, though more may be known: colours are those of the run's own pictures.
  colors_.emplace(scene_, first, make_stage(scene_, first));
  legend_ = shown_legend(scene_);
  if (scene_.simulation.dimension == 2) return;
  outlines_ = shown_outlines(scene_, framing_.stage().up, view());
  glass_ = shown_glass(scene_, framing_.stage().up, view());
  Bounds room = framing_.shown();
  const V3d margin = V3d::filled(kBeside * room.diagonal());
  room.min -= margin;
  room.max += margin;
  for (const Collider& collider : scene_.colliders)
    append_shape(collider.shape, {}, collider_meshes_.emplace_back(), 3, &room);
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
  const V3d center = framing_.shown().center();
  for (const Plane& plane : planes) {
    if (dot(to_vec(framing_.camera().eye) - plane.point, plane.normal) <= 0) continue;
    const bool wall = dot(plane.normal, framing_.stage().up) < 0.6;  // or a ceiling
    const double size = (wall ? 0.6 : 12.0) * framing_.shown().diagonal();
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
    if (scene_.colliders[i].visible && !collider_meshes_[i].indices.empty())
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
  rays.up = to_float(framing_.stage().up);
  rays.center = to_float(framing_.shown().center());
  rays.size = static_cast<float>(framing_.shown().diagonal());
  rays.grid_spacing = static_cast<float>(round_length(0.25 * framing_.stage().focus.diagonal()));
  for (const PointLayer& layer : layers)
    add_spheres(layer, &layer == layers.data() ? materials.covered : std::vector<bool>{}, rays);
  for (const Plane& wall : framing_.stage().walls) rays.open_side += to_float(wall.normal);
  for (std::size_t i = 0; i < scene_.colliders.size(); ++i) {
    const Collider& collider = scene_.colliders[i];
    if (!collider.visible) continue;
    const V3f color =
        linear_color(collider.color == Collider{}.color ? ground_color(scene_) : collider.color);
    std::vector<Plane> planes;
    append_planes(collider.shape, poses[i], planes);
    add_planes(planes, color, rays);
  }
  if (framing_.stage().floor)
    add_planes({*framing_.stage().floor}, linear_color(ground_color(scene_)), rays);
  show_meshes(poses, surfaces);
  rays.outlines = outlines_;
  rays.glass = glass_;
  rays.with_alpha = scene_.output.alpha;
  rays.with_light = scene_.output.exr;
  rays.meshes = ray_meshes_;
  std::move(materials).add_to(rays, shown_meshes_);
  return rays;
}

void Renderer::Impl::aim(const Snapshot& snapshot, double time) {
  if (framing_.has_started())
    framing_.advance(snapshot, time);
  else
    look_at(snapshot, time);
}

// What surfaces end at.
Walls Renderer::Impl::walls_at(const std::vector<ColliderPose>& poses) {
  if (!shows_surfaces(scene_)) return {};
  if (!walls_) walls_.emplace(scene_);
  std::vector<ColliderState> states;
  for (const ColliderPose& pose : poses) {
    ColliderState& state = states.emplace_back();
    state.rotation = pose.rotation;
    state.translation = pose.translation;
    state.pivot = pose.pivot;
    state.time = pose.time;
  }
  return walls_->at(states);
}

Image Renderer::Impl::draw(const Snapshot& snapshot,
                           const std::vector<ColliderPose>& collider_poses,
                           const std::vector<TriangleSurface>& surfaces, const Snapshot& tracers) {
  std::vector<Affine> poses(scene_.colliders.size());
  for (std::size_t i = 0; i < std::min(poses.size(), collider_poses.size()); ++i)
    poses[i] =
        pose_of(collider_poses[i].rotation, collider_poses[i].translation, collider_poses[i].pivot);
  const bool flat = scene_.simulation.dimension == 2;
  const bool traced = shows(tracers);
  const Snapshot rest = traced ? without_traced(snapshot) : Snapshot{};
  const Snapshot& particles = traced ? rest : snapshot;
  std::vector<double> radii = body_spacings(particles, framing_.stage().spacing);
  for (double& radius : radii) radius *= flat ? kDiscRadius : kSphereRadius;
  std::vector<PointLayer> layers{
      {&particles, (*colors_)(particles), std::move(radii), colors_->glow(particles)}};
  if (traced) layers.push_back({&tracers, (*colors_)(tracers), {tracer_radius(scene_)}});
  if (flat) return draw_flat(scene_, layers, poses, framing_.flat_view(), width_, height_);
  const double depth = kClearDepth * framing_.stage().focus.diagonal();
  MaterialView materials =
      view_materials(scene_, particles, *colors_, depth, walls_at(collider_poses));
  return ray_trace(ray_scene(layers, std::move(materials), poses, surfaces), view(), width_,
                   height_);
}

void Renderer::Impl::write_captions(Image& image, double time) {
  if (!captions || !scene_.output.captions) return;
  if (!font_) font_.emplace();
  Overlay overlay(image, *font_, scene_.simulation.dimension == 2);
  overlay.draw_time(time, scene_.simulation.fps);
  if (colors_->is_scalar()) overlay.draw_color_bar(*colors_);
  overlay.draw_legend(legend_);
}

double picture_bytes(const Scene& scene, double particles, double tracers) {
  const auto& [width, height] = scene.output.resolution;
  const double per_point = (scene.output.color == "glow" ? 2 : 1) * sizeof(ColorF);
  // Filtered and compressed at most as large again; light as floats, in halves and compressed.
  const double per_pixel =
      3 * (scene.output.alpha ? 4 : 3) + (scene.output.exr ? 4 * (4 + 2 * 2) : 0);
  const double drawn = (particles + tracers) * per_point + per_pixel * width * height;
  if (scene.simulation.dimension == 2) return drawn;
  bool surfaces = false, clear = false, grains = false;
  const bool scalar = ParticleColors(scene, Snapshot{}, Stage{}).is_scalar();
  for (int m = 0; m < static_cast<int>(scene.materials.size()); ++m) {
    const bool surface = is_shown_as_surface(scene, m);
    (surface ? surfaces : grains) = true;
    clear = clear || (surface && shown_finish(scene.materials[m], scalar) == Finish::kClear);
  }
  const double spheres = tracers + (grains ? particles : 0);
  return drawn + (surfaces ? particles * surface_bytes(scene) : 0) +
         spheres * (4 * sizeof(float) + per_point) + ray_trace_bytes(spheres, clear, width, height);
}

Renderer::Renderer(const Scene& scene) : impl_(std::make_unique<Impl>(scene)) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

Image Renderer::render(const Snapshot& snapshot, double time,
                       const std::vector<ColliderPose>& poses,
                       const std::vector<TriangleSurface>& surfaces, const Snapshot& tracers) {
  impl_->aim(snapshot, time);
  Image image = impl_->draw(snapshot, poses, surfaces, tracers);
  impl_->write_captions(image, time);
  return image;
}
void Renderer::aim(const Snapshot& snapshot, double time) { impl_->aim(snapshot, time); }
Image Renderer::draw(const Snapshot& snapshot, const std::vector<ColliderPose>& poses,
                     const std::vector<TriangleSurface>& surfaces, const Snapshot& tracers) {
  return impl_->draw(snapshot, poses, surfaces, tracers);
}
void Renderer::write_captions(Image& image, double time) { impl_->write_captions(image, time); }
Snapshot Renderer::moved_on(const Snapshot& snapshot, double seconds) const {
  return after(impl_->scene(), impl_->framing().stage(), snapshot, seconds);
}
bool Renderer::shows_tracers_alone(const Snapshot& tracers) const {
  return impl_->scene().tracers.alone && impl_->shows(tracers);
}
void Renderer::look(double seconds) { impl_->framing().look(seconds); }
double Renderer::pixels_between(const Vec3& from, double before, const Vec3& to,
                                double after) const {
  return impl_->framing().pixels_between(to_vec(from), before, to_vec(to), after);
}
double Renderer::pixels_passed(double seconds) const {
  return impl_->framing().pixels_passed(seconds);
}
double Renderer::pixels_moved(const Snapshot& snapshot, double seconds) const {
  return impl_->framing().pixels_moved(snapshot, seconds);
}
Camera Renderer::camera() const { return impl_->framing().camera(); }
void Renderer::look_ahead(const Snapshot& snapshot) { impl_->framing().look_ahead(snapshot); }
std::vector<double> Renderer::view_state() const { return impl_->framing().state(); }
void Renderer::set_view_state(const std::vector<double>& state) {
  impl_->framing().set_state(state);
}
void Renderer::set_captions(bool shown) { impl_->captions = shown; }

}  // namespace firn

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/error.h"
#include "firn/render.h"
#include "src/render/collider_view.h"
#include "src/render/mesh.h"

namespace firn {
namespace {

// How far what has no end goes beside what has one, over the size of that.
constexpr double kBeside = 2;

// What has an end: bodies, sources, the domain, and other colliders.
Bounds room_of(const Scene& scene) {
  Mesh all;
  for (const Body& body : scene.bodies) append_shape(body.shape, {}, all);
  for (const Source& source : scene.sources) append_shape(source.shape, {}, all);
  for (const Collider& collider : scene.colliders) append_shape(collider.shape, {}, all);
  Bounds room;
  for (const V3f& x : all.positions) room.add({{x[0], x[1], x[2]}});
  if (scene.grid.domain) {
    room.add(to_vec(scene.grid.domain->min));
    room.add(to_vec(scene.grid.domain->max));
  }
  if (room.empty()) room.add(V3d::zero());
  return room;
}

// The square of a plane that lies before the middle of the room.
void append_plane(const Plane& plane, const Bounds& room, double half_size, Mesh& mesh) {
  const V3d foot = room.center() - plane.normal * dot(room.center() - plane.point, plane.normal);
  const auto [u, w] = perpendicular(plane.normal);
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (const auto& [along_u, along_w] : {std::pair(-1, -1), {-1, 1}, {1, 1}, {1, -1}})
    append_vertex(mesh, {}, foot + (u * along_u + w * along_w) * half_size, plane.normal);
  append_quad(mesh, first, first + 1, first + 2, first + 3);
}

void append(const TriangleSurface& surface, Mesh& mesh) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (std::size_t i = 0; i + 2 < surface.vertices.size(); i += 3)
    mesh.positions.push_back(
        {{surface.vertices[i], surface.vertices[i + 1], surface.vertices[i + 2]}});
  for (const std::uint32_t index : surface.indices) mesh.indices.push_back(first + index);
}

std::vector<float> flat(const std::vector<V3f>& vectors) {
  std::vector<float> values;
  values.reserve(3 * vectors.size());
  for (const V3f& v : vectors)
    for (int c = 0; c < 3; ++c) values.push_back(v[c]);
  return values;
}

// Sweeps and their seams know no inside: each triangle is turned as the normals of its corners say,
// and goes where it has no area.
std::vector<std::uint32_t> outward(const Mesh& mesh) {
  std::vector<std::uint32_t> triangles;
  for (std::size_t t = 0; t + 2 < mesh.indices.size(); t += 3) {
    const std::uint32_t* corner = &mesh.indices[t];
    const V3f a = mesh.positions[corner[0]];
    const V3f area = cross(mesh.positions[corner[1]] - a, mesh.positions[corner[2]] - a);
    if (!(dot(area, area) > 0)) continue;
    const V3f normal = mesh.normals.empty() ? area
                                            : mesh.normals[corner[0]] + mesh.normals[corner[1]] +
                                                  mesh.normals[corner[2]];
    const bool turned = dot(area, normal) < 0;
    triangles.insert(triangles.end(), {corner[0], corner[turned ? 2 : 1], corner[turned ? 1 : 2]});
  }
  return triangles;
}

}  // namespace

ColliderMesh collider_mesh(const Scene& scene, std::size_t collider, double time) {
  if (scene.simulation.dimension != 3)
    throw Error(ErrorCategory::kScene, "meshes of colliders are of scenes with dimension = 3");
  if (collider >= scene.colliders.size())
    throw Error(ErrorCategory::kScene, fmt::format("there is no collider {}: the scene has {}",
                                                   collider, scene.colliders.size()));
  const Shape& shape = scene.colliders[collider].shape;
  Bounds room = room_of(scene);
  const double beside = kBeside * std::max(room.diagonal(), scene.grid.dx);
  room.min -= V3d::filled(beside);
  room.max += V3d::filled(beside);
  Mesh mesh;
  append_shape(shape, {}, mesh, 3, &room);
  std::vector<Plane> planes;
  append_planes(shape, {}, planes);
  for (const Plane& plane : planes) append_plane(plane, room, 0.5 * room.diagonal(), mesh);
  const ColliderView view(scene);
  for (const TriangleSurface& surface : view.surfaces_of(collider, time)) append(surface, mesh);
  if (mesh.normals.size() != mesh.positions.size()) mesh.normals.clear();
  return {flat(mesh.positions), flat(mesh.normals), outward(mesh)};
}

}  // namespace firn

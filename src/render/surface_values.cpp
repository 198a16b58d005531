#include "src/render/surface_values.h"

namespace firn {
namespace {

V3f at(const std::vector<V3f>& values, const std::uint32_t* corner, float u, float v) {
  return values[corner[0]] * (1 - u - v) + values[corner[1]] * u + values[corner[2]] * v;
}

}  // namespace

V3f face_normal(const Mesh& mesh, std::uint32_t triangle) {
  const std::uint32_t* corner = &mesh.indices[std::size_t{3} * triangle];
  const V3f& a = mesh.positions[corner[0]];
  return normalized(cross(mesh.positions[corner[1]] - a, mesh.positions[corner[2]] - a));
}

V3f surface_normal(const Mesh& mesh, std::uint32_t triangle, float u, float v) {
  if (mesh.normals.empty()) return face_normal(mesh, triangle);
  return normalized(at(mesh.normals, &mesh.indices[std::size_t{3} * triangle], u, v));
}

V3f surface_normal(const Mesh& mesh, std::uint32_t triangle, float u, float v,
                   const V3f& direction) {
  const V3f normal = surface_normal(mesh, triangle, u, v);
  const float away = dot(normal, direction);
  if (!(away > 0)) return normal;
  const V3f face = face_normal(mesh, triangle);
  if (dot(face, direction) * dot(face, normal) > 0) return -normal;  // seen from behind
  // A face at the rim, which is seen though the surface that it stands for is about to turn away.
  const V3f grazing = normal - direction * (away / dot(direction, direction));
  return dot(grazing, grazing) > 0 ? normalized(grazing) : -normal;
}

V3f surface_color(const Surface& surface, std::uint32_t triangle, float u, float v) {
  if (surface.colors.empty()) return surface.color;
  return at(surface.colors, &surface.mesh.indices[std::size_t{3} * triangle], u, v);
}

V3f surface_glow(const Surface& surface, std::uint32_t triangle, float u, float v) {
  if (surface.glow.empty()) return V3f::zero();
  return at(surface.glow, &surface.mesh.indices[std::size_t{3} * triangle], u, v);
}

}  // namespace firn

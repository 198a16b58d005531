// What the vertices of a surface say of a point of a triangle.
#pragma once

#include "src/render/raytrace.h"

namespace firn {

// Outward, of unit length: of the triangle, and what its corners' normals say of a point of it.
V3f face_normal(const Mesh& mesh, std::uint32_t triangle);
V3f surface_normal(const Mesh& mesh, std::uint32_t triangle, float u, float v);
// On the side that `direction` comes from.
V3f surface_normal(const Mesh& mesh, std::uint32_t triangle, float u, float v,
                   const V3f& direction);
V3f surface_color(const Surface& surface, std::uint32_t triangle, float u, float v);
V3f surface_glow(const Surface& surface, std::uint32_t triangle, float u, float v);

}  // namespace firn

// Shapes of bodies, colliders, sources and sinks as plain data, and the numbers and expressions
// that a scene may give in place of constants. SI units; angles in radians; the third entry of
// vectors is zero in 2D.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace firn {

using Vec3 = std::array<double, 3>;

// A number or an expression of x, y, z, t (docs/scene-reference.md has the syntax).
struct ScalarField {
  double constant = 0;
  std::string expression{};  // empty: constant
  bool operator==(const ScalarField&) const = default;
};
struct VectorField {
  std::array<ScalarField, 3> component;
  bool operator==(const VectorField&) const = default;
};

enum class ShapeType {
  kSphere,
  kBox,
  kHalfSpace,
  kCylinder,
  kCapsule,
  kCone,
  kTorus,
  kEllipsoid,
  kHeightField,
  kMesh,
  kMeshSequence,
  kVdb,
  kText,
  kUnion,
  kIntersection,
  kDifference,
  kTransform,
};

// How the triangles of a mesh become a solid: all where their winding number exceeds one half,
// which closes holes by smooth caps, or all within half of Shape::thickness of them, open or
// closed.
enum class MeshSolid { kWinding, kShell };

// Where a shape stands in its scene, and of what: errors that only its use finds begin with it. No
// part of what the shape is.
struct ShapePlace {
  std::string text{};
  bool operator==(const ShapePlace&) const { return true; }
};

// One node of a shape tree; which members count depends on the type.
struct Shape {
  ShapeType type = ShapeType::kSphere;
  Vec3 center{};                  // sphere, torus, ellipsoid
  double radius = 0;              // sphere, cylinder, capsule, cone (at `from`), torus (ring)
  double tube_radius = 0;         // torus
  Vec3 radii{};                   // ellipsoid half axes
  Vec3 min{}, max{};              // box; height_field: the rectangle in x and z
  double rounding = 0;            // box: radius of the edges
  Vec3 point{}, normal{0, 1, 0};  // half_space: solid on the side away from the normal
  Vec3 from{}, to{0, 1, 0};       // cylinder, capsule, cone: axis (the cone's apex is `to`)
  Vec3 axis{0, 1, 0};             // torus: axis of symmetry
  ScalarField height{};           // height_field without a file: y of the surface, of x and z
  double low = 0, high = 0;       // height_field with a file: y of black and of white
  std::optional<double> base{};   // height_field: y of the underside; without it, it has no end
  // mesh, vdb, height_field (a PNG): absolute path after loading; mesh_sequence: likewise, with one
  // %d or %04d where the number stands
  std::string file{};
  // mesh, mesh_sequence (its first), vdb: if > 0, scaled so that the longest edge of its box has
  // this length; text: of its font, m
  double size = 0;
  MeshSolid solid = MeshSolid::kWinding;  // mesh, mesh_sequence
  double thickness = 0;  // likewise: of a shell, m; size and scale leave it as it is
  // mesh_sequence: file number `first` + i is how the mesh looks at `start` + i / `fps`; between
  // two of them every vertex moves at constant velocity. Before the first and after the last it
  // rests; with `loop` it moves on from the last to the first, which then stands for `last` + 1.
  int first = 0, last = 0;
  double fps = 24;   // meshes per second
  double start = 0;  // s
  bool loop = false;
  std::string grid{};             // vdb: which one of the file; empty: the only one of numbers
  std::optional<double> iso{};    // vdb of densities: solid where there is more than this
  std::string text{};             // text: UTF-8, lines apart by line feeds
  std::string font{};             // text: absolute path after loading; empty: DejaVu Sans
  double depth = 0;               // text: from front to back, m
  Vec3 translation{};             // transform, mesh, mesh_sequence, vdb, text
  Vec3 rotation{};                // likewise: Euler angles in radians, applied x then y then z
  double scale = 1;               // likewise, but text
  std::vector<Shape> children{};  // booleans: two or more; transform: one
  ShapePlace place{};             // empty if built in code
  bool operator==(const Shape&) const = default;
};

}  // namespace firn

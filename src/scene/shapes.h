// From the shape tree of a scene to what kernels evaluate: a postfix program
// (kernels/collide/sdf.h), the grids of its meshes, and bounds. Bodies, colliders, sources and
// sinks all go through here.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "kernels/collide/sdf.h"
#include "src/scene/deforming_grid.h"
#include "src/scene/mesh.h"

namespace firn {

struct CompiledShape {
  int dimension = 3;
  std::vector<SdfInstruction<double>> code;
  GridBytes meshes;                 // the grids of all meshes and height fields, one after another
  Vec3 min{}, max{};                // contain the solid; infinite where it is unbounded
  std::vector<MeshReport> reports;  // one per mesh whose inside the winding number tells
  std::shared_ptr<const DeformingGrid>
      deforming;  // of a mesh_sequence, of which `meshes` is time 0
  ShapePlace place;
  bool bounded() const;
};

// `dimension` is 2 or 3; `dx` the grid spacing in m, which sets the resolution of meshes and height
// fields (dx/2). Throws Error{kScene} for a shape that cannot mean anything (radius <= 0, nested
// too deeply) and Error{kFile} for an unreadable mesh, volume, font or picture.
CompiledShape compile_shape(const Shape& shape, int dimension, double dx);

// Its bounds and reports alone, without the distances of meshes, which are what costs: nothing else
// of the result may be asked for. Throws as compile_shape.
CompiledShape outline_shape(const Shape& shape, int dimension, double dx);

// The grid spacing at which the distances of a shape with this outline take little: dx, or if it is
// more than `cells` across, so many.
double coarse_spacing(const CompiledShape& outline, double dx, double cells);

// Volume (2D: area) of a sphere or a box with sharp edges; by the divergence theorem, of a closed
// surface of triangles in one piece or a text; none of other shapes. Throws as cached_mesh.
std::optional<double> enclosed_volume(const Shape& shape, int dimension);

// What to upload, in the precision of the kernels: this array, and the bytes of `shape.meshes` to
// an address that is a multiple of kMeshGridAlignment.
template <class Real>
std::vector<SdfInstruction<Real>> instructions(const CompiledShape& shape);
extern template std::vector<SdfInstruction<float>> instructions<float>(const CompiledShape&);
extern template std::vector<SdfInstruction<double>> instructions<double>(const CompiledShape&);

// The program on the host; valid while `shape` is.
SdfProgram<double> program(const CompiledShape& shape);

// Signed distance in m and unit outward normal (see sdf_normal) at x.
double distance(const CompiledShape& shape, const Vec3& x);
Vec3 normal(const CompiledShape& shape, const Vec3& x, double step);

// Throws Error{kScene} unless the shape is bounded; `what` names its owner, as in "body
// \"ground\"".
void require_bounded(const CompiledShape& shape, const std::string& what);

}  // namespace firn

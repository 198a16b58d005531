#include "src/scene/mesh_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/scene/mesh.h"

namespace firn {

namespace {

class MeshInspector {
 public:
  explicit MeshInspector(double dx) : dx_(dx) {}

  // `scale` is that of the transforms around the shape.
  void inspect_meshes(const Shape& shape, double scale = 1) {
    const bool by_files = shape.type == ShapeType::kMesh || shape.type == ShapeType::kMeshSequence;
    if (by_files && shape.solid == MeshSolid::kShell)
      judge_shell(shape, scale * shape.thickness);
    else if (shape.type == ShapeType::kMesh && seen_.insert(shape.file).second)
      tell(describe(inspect(load_mesh(shape.file), shape.file)));
    const bool moves = shape.type == ShapeType::kTransform;
    for (const Shape& child : shape.children)
      inspect_meshes(child, moves ? scale * shape.scale : scale);
  }
  std::vector<std::string> warnings;

 private:
  // Distances of meshes are sampled twice per cell (see shell_to_grid), and what lies on both sides
  // of less than a cell shares its nodes.
  void judge_shell(const Shape& shape, double thickness) {
    if (thickness >= dx_) return;
    tell(fmt::format(
        "{}: a shell of {:g} m is thinner than a cell (grid.dx = {:g}): it may have holes, and "
        "material on one side of it touches that on the other; use a thickness of grid.dx or more",
        shape.file, thickness, dx_));
  }
  void tell(const std::string& warning) {
    const bool told = std::find(warnings.begin(), warnings.end(), warning) != warnings.end();
    if (!warning.empty() && !told) warnings.push_back(warning);
  }

  double dx_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> mesh_warnings(const Scene& scene) {
  MeshInspector inspector(scene.grid.dx);
  const auto inspect_all = [&](const auto& things) {
    for (const auto& thing : things) inspector.inspect_meshes(thing.shape);
  };
  inspect_all(scene.bodies), inspect_all(scene.colliders), inspect_all(scene.sources);
  inspect_all(scene.sinks), inspect_all(scene.heat_sources), inspect_all(scene.sensors);
  for (const ForceField& force : scene.forces)
    if (force.shape) inspector.inspect_meshes(*force.shape);
  return inspector.warnings;
}

}  // namespace firn

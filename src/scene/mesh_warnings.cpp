#include "src/scene/mesh_warnings.h"

#include <set>

#include "src/scene/mesh.h"

namespace firn {

namespace {

void inspect_meshes(const Shape& shape, std::set<std::string>& seen,
                    std::vector<std::string>& warnings) {
  if (shape.type == ShapeType::kMesh && seen.insert(shape.file).second) {
    std::string warning = describe(inspect(load_mesh(shape.file), shape.file));
    if (!warning.empty()) warnings.push_back(std::move(warning));
  }
  for (const Shape& child : shape.children) inspect_meshes(child, seen, warnings);
}

}  // namespace

std::vector<std::string> mesh_warnings(const Scene& scene) {
  std::set<std::string> seen;
  std::vector<std::string> warnings;
  for (const Body& body : scene.bodies) inspect_meshes(body.shape, seen, warnings);
  for (const Collider& collider : scene.colliders) inspect_meshes(collider.shape, seen, warnings);
  for (const Source& source : scene.sources) inspect_meshes(source.shape, seen, warnings);
  for (const Sink& sink : scene.sinks) inspect_meshes(sink.shape, seen, warnings);
  return warnings;
}

}  // namespace firn

// Where the colliders of a scene are at a time, for its pictures: their poses, and the surfaces of
// those made of meshes, which only the scene's files know.
#pragma once

#include <array>
#include <vector>

#include "firn/scene.h"
#include "src/render/render.h"

namespace firn::app {

class ColliderView {
 public:
  // Reads the mesh files of the colliders. Throws Error{kFile} as load_mesh.
  explicit ColliderView(const Scene& scene);

  std::vector<ColliderPose> poses(double time) const;
  std::vector<TriangleSurface> surfaces(double time) const;

 private:
  struct Surface {
    std::size_t collider;
    TriangleSurface at_rest;  // in body coordinates
  };
  void add_meshes(const Shape& shape, std::size_t collider, std::vector<const Shape*>& outer);

  const Scene& scene_;
  std::vector<Surface> meshes_;
};

}  // namespace firn::app

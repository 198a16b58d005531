// Where the colliders of a scene are, for its pictures: their poses as the simulation has them, and
// the surfaces of those made of meshes, which only the scene's files know.
#pragma once

#include <vector>

#include "firn/render.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/render.h"

namespace firn {

class ColliderView {
 public:
  // Reads the files of the colliders. Throws Error{kFile} as load_mesh and its like.
  explicit ColliderView(const Scene& scene);

  // One per collider of the scene; `states` that are missing are at rest.
  std::vector<ColliderPose> poses(const std::vector<ColliderState>& states) const;
  std::vector<TriangleSurface> surfaces(const std::vector<ColliderState>& states) const;
  // Of one collider, in its own coordinates, also where it is not visible; of files that change
  // with time as at this one.
  std::vector<TriangleSurface> surfaces_of(std::size_t collider, double time) const;

 private:
  struct Surface {
    std::size_t collider;
    TriangleSurface at_rest;            // in body coordinates; a mesh_sequence as in its first file
    const Shape* sequence = nullptr;    // it, if it is one
    double scale = 1;                   // from the file's units, m
    std::vector<const Shape*> outer{};  // the transforms around that
  };
  void add_meshes(const Shape& shape, std::size_t collider, std::vector<const Shape*>& outer);

  const Scene& scene_;
  std::vector<Surface> meshes_;
};

}  // namespace firn

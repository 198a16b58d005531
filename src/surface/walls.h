// What the surfaces of materials end at: the walls of the domain, and colliders where they are at
// one moment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "kernels/collide/sdf.h"
#include "src/scene/shapes.h"

namespace firn {

class Walls {
 public:
  using V3 = Vec<double, 3>;
  // Some of the walls. Those beyond the last bit share it.
  using Set = std::uint64_t;

  // Material lies beyond `at` along the axis; below it if `upper`.
  void add_face(int axis, bool upper, double at);
  // `meshes` in place of the shape's own, unless it is null. `step` as of sdf_normal, m.
  void add_collider(std::shared_ptr<const CompiledShape> shape,
                    std::shared_ptr<const GridBytes> meshes, const ColliderState& state,
                    double step);

  bool none() const { return faces_.empty() && solids_.empty(); }
  bool is_face(int i) const { return i < static_cast<int>(faces_.size()); }
  int count() const { return static_cast<int>(faces_.size() + solids_.size()); }

  // m to wall `i`, negative within it; away from it.
  double distance(int i, const V3& x) const;
  V3 normal(int i, const V3& x) const;

  // Those that may be within `reach` of x.
  Set near(const V3& x, double reach) const;
  // f(i) for those of a set.
  template <class F>
  void each(Set set, F&& f) const {
    for (int i = 0; i < count(); ++i)
      if (set & bit(i)) f(i);
  }
  // To the nearest of the set; farther than all else where there is none.
  double distance(Set set, const V3& x) const;
  // Which that is; -1: none.
  int nearest(Set set, const V3& x, double& distance) const;
  // Where x gets to that is pushed out of all of them.
  V3 pushed_out(Set set, V3 x) const;

 private:
  struct Face {
    int axis;
    double sign, at;
  };
  struct Solid {
    std::shared_ptr<const CompiledShape> shape;
    std::shared_ptr<const GridBytes> meshes;
    SdfProgram<double> program;
    Mat<double, 3> rotation;
    V3 pivot, place;  // in the shape's own coordinates; in the world
    double step;

    V3 own(const V3& x) const { return transpose(rotation) * (x - place) + pivot; }
  };
  static Set bit(int i) { return Set{1} << (i < 63 ? i : 63); }

  std::vector<Face> faces_;
  std::vector<Solid> solids_;
};

// Whether the scene has any.
bool has_walls(const Scene& scene);

// The walls of a scene, whose shapes are compiled once.
class SceneWalls {
 public:
  // Throws as compile_shape.
  explicit SceneWalls(const Scene& scene);

  // States as those of Simulation::colliders; those that are missing are at rest.
  Walls at(std::span<const ColliderState> states) const;

 private:
  std::optional<Domain> domain_;
  int dimension_;
  double step_;  // m
  std::vector<std::shared_ptr<const CompiledShape>> shapes_;
};

}  // namespace firn

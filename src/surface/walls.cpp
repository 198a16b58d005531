#include "src/surface/walls.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "src/scene/boundary_types.h"

namespace firn {

bool has_walls(const Scene& scene) {
  const std::optional<Domain>& domain = scene.grid.domain;
  const auto faces = 2 * static_cast<std::ptrdiff_t>(scene.simulation.dimension);
  return !scene.colliders.empty() ||
         (domain &&
          std::any_of(domain->boundary.begin(), domain->boundary.begin() + faces, is_wall));
}

void Walls::add_face(int axis, bool upper, double at) {
  faces_.push_back({axis, upper ? -1.0 : 1.0, at});
}

void Walls::add_collider(std::shared_ptr<const CompiledShape> shape,
                         std::shared_ptr<const GridBytes> meshes, const ColliderState& state,
                         double step) {
  Solid solid;
  solid.program = program(*shape);
  if (meshes) solid.program.meshes = meshes->data();
  solid.shape = std::move(shape);
  solid.meshes = std::move(meshes);
  for (int a = 0; a < 3; ++a) {
    const auto c = static_cast<std::size_t>(a);
    solid.pivot[a] = state.pivot[c];
    solid.place[a] = state.pivot[c] + state.translation[c];
    for (int b = 0; b < 3; ++b)
      solid.rotation(a, b) = state.rotation[3 * c + static_cast<std::size_t>(b)];
  }
  solid.step = step;
  solids_.push_back(std::move(solid));
}

double Walls::distance(int i, const V3& x) const {
  const auto faces = static_cast<int>(faces_.size());
  if (i < faces) {
    const Face& face = faces_[static_cast<std::size_t>(i)];
    return face.sign * (x[face.axis] - face.at);
  }
  const Solid& solid = solids_[static_cast<std::size_t>(i - faces)];
  return signed_distance<3>(solid.program, solid.own(x));
}

Walls::V3 Walls::normal(int i, const V3& x) const {
  const auto faces = static_cast<int>(faces_.size());
  if (i < faces) {
    const Face& face = faces_[static_cast<std::size_t>(i)];
    V3 n = V3::zero();
    n[face.axis] = face.sign;
    return n;
  }
  const Solid& solid = solids_[static_cast<std::size_t>(i - faces)];
  return solid.rotation * sdf_normal<3>(solid.program, solid.own(x), solid.step);
}

Walls::Set Walls::near(const V3& x, double reach) const {
  Set set = 0;
  for (int i = 0; i < count(); ++i)
    if (distance(i, x) < reach) set |= bit(i);
  return set;
}

int Walls::nearest(Set set, const V3& x, double& distance) const {
  int found = -1;
  distance = std::numeric_limits<double>::max();
  each(set, [&](int i) {
    const double own = this->distance(i, x);
    if (own < distance) distance = own, found = i;
  });
  return found;
}

double Walls::distance(Set set, const V3& x) const {
  double found;
  nearest(set, x, found);
  return found;
}

// One wall after the other, and again, for what leaves one may have got into another; near the edge
// of a mesh the nearest point is found in some steps.
Walls::V3 Walls::pushed_out(Set set, V3 x) const {
  constexpr int kRounds = 8;
  bool moved = set != 0;
  for (int round = 0; round < kRounds && moved; ++round) {
    moved = false;
    each(set, [&](int i) {
      const double depth = -distance(i, x);
      if (!(depth > 0)) return;
      x += normal(i, x) * depth;
      moved = true;
    });
  }
  return x;
}

SceneWalls::SceneWalls(const Scene& scene)
    : domain_(scene.grid.domain),
      dimension_(scene.simulation.dimension),
      step_(0.1 * scene.grid.dx) {
  for (const Collider& collider : scene.colliders)
    shapes_.push_back(std::make_shared<const CompiledShape>(
        compile_shape(collider.shape, dimension_, scene.grid.dx)));
}

Walls SceneWalls::at(std::span<const ColliderState> states) const {
  Walls walls;
  for (int a = 0; domain_ && a < dimension_; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    if (is_wall(domain_->boundary[2 * axis])) walls.add_face(a, false, domain_->min[axis]);
    if (is_wall(domain_->boundary[2 * axis + 1])) walls.add_face(a, true, domain_->max[axis]);
  }
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const ColliderState state = i < states.size() ? states[i] : ColliderState{};
    std::shared_ptr<const GridBytes> now;
    if (shapes_[i]->deforming)
      now = std::make_shared<const GridBytes>(shapes_[i]->deforming->at_rest(state.time));
    walls.add_collider(shapes_[i], std::move(now), state, step_);
  }
  return walls;
}

}  // namespace firn

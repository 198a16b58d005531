#include "src/render/collider_view.h"

#include "kernels/collide/rigid_motion.h"
#include "src/render/mesh.h"
#include "src/scene/mesh_cache.h"
#include "src/scene/mesh_sequence.h"
#include "src/scene/motion_keys.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;

Vector vec(const Vec3& a) { return {{a[0], a[1], a[2]}}; }

// x -> rotation (scale x) + translation, of a mesh or a transform
Vector place(const Shape& shape, double scale, const Vector& x) {
  return rotation_from_euler(vec(shape.rotation)) * (scale * x) + vec(shape.translation);
}

void append(std::vector<float>& list, const Vector& x) {
  for (int i = 0; i < 3; ++i) list.push_back(static_cast<float>(x[i]));
}

// The vertices of a surface, in body coordinates.
std::vector<float> placed(const std::vector<Vec3>& vertices, const Shape& shape, double scale,
                          const std::vector<const Shape*>& outer) {
  std::vector<float> positions;
  positions.reserve(3 * vertices.size());
  for (const Vec3& vertex : vertices) {
    Vector x = place(shape, scale, vec(vertex));
    for (auto it = outer.rbegin(); it != outer.rend(); ++it) x = place(**it, (*it)->scale, x);
    append(positions, x);
  }
  return positions;
}

TriangleSurface place_mesh(const TriangleMesh& mesh, const Shape& shape, double scale,
                           const std::vector<const Shape*>& outer) {
  TriangleSurface surface;
  surface.vertices = placed(mesh.vertices, shape, scale, outer);
  for (const auto& triangle : mesh.triangles)
    surface.indices.insert(surface.indices.end(), triangle.begin(), triangle.end());
  return surface;
}

TriangleMesh first_mesh(const Shape& shape) {
  const auto sequence = cached_sequence(shape);
  return {sequence->vertices[0], sequence->triangles};
}

// The vertices of a mesh_sequence at a time.
std::vector<float> placed_at(double time, const Shape& shape, double scale,
                             const std::vector<const Shape*>& outer) {
  const SequenceInterval now = interval_at(shape, time);
  const std::vector<Vec3> vertices = vertices_at(*cached_sequence(shape), now, now.part(time));
  return placed(vertices, shape, scale, outer);
}

}  // namespace

std::vector<ColliderState> scripted_colliders(const Scene& scene, double time) {
  std::vector<ColliderState> states;
  for (const Collider& collider : scene.colliders) {
    const std::vector<double> keys = packed_keys(collider.motion);
    const RigidPose<double> pose = pose_at<double>(view_of(collider.motion, keys.data()), time);
    ColliderState& state = states.emplace_back();
    state.time = time;
    for (int i = 0; i < 9; ++i)
      state.rotation[static_cast<std::size_t>(i)] = pose.rotation(i / 3, i % 3);
    for (int a = 0; a < 3; ++a) {
      state.translation[static_cast<std::size_t>(a)] = pose.translation[a];
      state.pivot[static_cast<std::size_t>(a)] = pose.pivot[a];
    }
  }
  return states;
}

ColliderView::ColliderView(const Scene& scene) : scene_(scene) {
  std::vector<const Shape*> outer;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i)
    add_meshes(scene.colliders[i].shape, i, outer);
}

// What is cut away or cut with has no surface of its own to show.
void ColliderView::add_meshes(const Shape& shape, std::size_t collider,
                              std::vector<const Shape*>& outer) {
  const bool changes = shape.type == ShapeType::kMeshSequence;
  if (changes || is_triangles(shape.type)) {
    const TriangleMesh mesh = changes ? first_mesh(shape) : *cached_mesh(shape);
    const double scale = scale_of(shape, mesh);
    meshes_.push_back({collider, place_mesh(mesh, shape, scale, outer), changes ? &shape : nullptr,
                       scale, outer});
    meshes_.back().at_rest.color = scene_.colliders[collider].color;
  } else if (shape.type == ShapeType::kUnion) {
    for (const Shape& child : shape.children) add_meshes(child, collider, outer);
  } else if (shape.type == ShapeType::kDifference || shape.type == ShapeType::kIntersection) {
    add_meshes(stand_in(shape), collider, outer);
  } else if (shape.type == ShapeType::kTransform) {
    outer.push_back(&shape);
    add_meshes(shape.children.at(0), collider, outer);
    outer.pop_back();
  }
}

std::vector<ColliderPose> ColliderView::poses(const std::vector<ColliderState>& states) const {
  std::vector<ColliderPose> result;
  for (std::size_t i = 0; i < scene_.colliders.size(); ++i) {
    const ColliderState state = i < states.size() ? states[i] : ColliderState{};
    result.push_back({state.rotation, state.translation, state.pivot, state.time});
  }
  return result;
}

std::vector<TriangleSurface> ColliderView::surfaces_of(std::size_t collider, double time) const {
  std::vector<TriangleSurface> result;
  for (const Surface& mesh : meshes_) {
    if (mesh.collider != collider) continue;
    TriangleSurface& own = result.emplace_back(mesh.at_rest);
    if (mesh.sequence != nullptr)
      own.vertices = placed_at(time, *mesh.sequence, mesh.scale, mesh.outer);
  }
  return result;
}

std::vector<TriangleSurface> ColliderView::surfaces(
    const std::vector<ColliderState>& states) const {
  const std::vector<ColliderPose> at = poses(states);
  std::vector<TriangleSurface> result;
  for (const Surface& mesh : meshes_) {
    if (!scene_.colliders[mesh.collider].visible) continue;
    const ColliderPose& pose = at[mesh.collider];
    const Vector pivot = vec(pose.pivot), to = pivot + vec(pose.translation);
    Mat<double, 3> R;
    for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = pose.rotation[static_cast<std::size_t>(i)];
    TriangleSurface& moved = result.emplace_back(mesh.at_rest);
    if (mesh.sequence != nullptr && mesh.collider < states.size())
      moved.vertices =
          placed_at(states[mesh.collider].time, *mesh.sequence, mesh.scale, mesh.outer);
    for (std::size_t i = 0; i < moved.vertices.size(); i += 3) {
      const Vector x =
          to +
          R * (Vector{{moved.vertices[i], moved.vertices[i + 1], moved.vertices[i + 2]}} - pivot);
      for (int k = 0; k < 3; ++k) moved.vertices[i + k] = static_cast<float>(x[k]);
    }
  }
  return result;
}

}  // namespace firn

// Bodies and sinks as kernels see them: compiled shapes and key frames uploaded once.
#pragma once

#include <deque>

#include "kernels/exec/buffer.h"
#include "kernels/grid/rebuild.h"
#include "kernels/grid/update.h"
#include "src/scene/shapes.h"

namespace firn {

// One uploaded shape; owns what its program points to.
template <class Exec, class Real>
class DeviceShape {
 public:
  DeviceShape(Exec& exec, const CompiledShape& shape)
      : code_(exec, std::span<const SdfInstruction<Real>>(instructions<Real>(shape))),
        meshes_(exec, std::span<const std::byte>(shape.meshes)) {}
  SdfProgram<Real> program() const {
    return {code_.data(), static_cast<int>(code_.size()), meshes_.data()};
  }
  std::size_t bytes() const { return code_.bytes() + meshes_.bytes(); }

 private:
  Buffer<Exec, SdfInstruction<Real>> code_;
  Buffer<Exec, std::byte> meshes_;
};

template <class Exec, int D, class Real>
class ColliderStore {
 public:
  ColliderStore(Exec& exec, const Scene& scene) : exec_(exec), open_faces_(open_faces(scene)) {
    std::vector<ColliderShape<Real>> colliders;
    for (const Collider& c : scene.colliders)
      colliders.push_back(
          {add_shape(c.shape, scene), add_keys(c), c.boundary, static_cast<Real>(c.friction)});
    std::vector<SdfProgram<Real>> sinks;
    for (const Sink& s : scene.sinks) sinks.push_back(add_shape(s.shape, scene));
    colliders_ =
        Buffer<Exec, ColliderShape<Real>>(exec, std::span<const ColliderShape<Real>>(colliders));
    sinks_ = Buffer<Exec, SdfProgram<Real>>(exec, std::span<const SdfProgram<Real>>(sinks));
    poses_ = Buffer<Exec, RigidPose<Real>>(exec, colliders.size());
    sums_ = Buffer<Exec, double>(exec, columns());
    sums_.zero();
  }

  int count() const { return static_cast<int>(colliders_.size()); }
  std::size_t columns() const { return colliders_.size() * kReactionColumns; }
  SinkView<Real> sinks() const {
    SinkView<Real> view = open_faces_;
    view.programs = sinks_.data();
    view.count = static_cast<int>(sinks_.size());
    return view;
  }

  void reserve(std::uint32_t blocks) {
    table_ = {};
    table_ = Buffer<Exec, double>(exec_, columns() * blocks);
    table_.zero();
  }
  void fill(GridUpdateParams<Real, D>& params) {
    params.colliders = colliders_.data();
    params.poses = poses_.data();
    params.collider_count = count();
    params.reactions = table_.data();
  }
  // Adds this step's impulses to the sums of the frame.
  void accumulate(std::uint32_t max_blocks, const StepControl* control) {
    if (count() > 0)
      add_columns(exec_, table_.data(), {&control->n_blocks, max_blocks},
                  static_cast<int>(columns()), sums_.data(), &control->stop);
  }
  void clear_sums() { sums_.zero(); }
  std::vector<double> sums() const { return sums_.download(); }
  void set_sums(std::span<const double> values) { sums_.upload(values); }

  std::size_t bytes() const {
    std::size_t sum = table_.bytes();
    for (const auto& shape : shapes_) sum += shape.bytes();
    return sum;
  }

 private:
  SdfProgram<Real> add_shape(const Shape& shape, const Scene& scene) {
    shapes_.emplace_back(exec_, compile_shape(shape, scene.simulation.dimension, scene.grid.dx));
    return shapes_.back().program();
  }
  KeyframeView add_keys(const Collider& collider) {
    if (!collider.motion) return {};
    const Keyframes& motion = *collider.motion;
    const std::size_t n = motion.times.size();
    std::vector<double> values(motion.times);
    for (const auto* vectors : {&motion.translation, &motion.rotation})
      for (std::size_t i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a) values.push_back(i < vectors->size() ? (*vectors)[i][a] : 0.0);
    keys_.emplace_back(exec_, std::span<const double>(values));
    const double* data = keys_.back().data();
    return {data,
            data + n,
            data + 4 * n,
            static_cast<int>(n),
            {{motion.pivot[0], motion.pivot[1], motion.pivot[2]}}};
  }

  static SinkView<Real> open_faces(const Scene& scene) {
    SinkView<Real> view;
    if (!scene.grid.domain) return view;
    const Domain& domain = *scene.grid.domain;
    for (std::size_t a = 0; a < D; ++a) {
      const bool low = domain.boundary[2 * a] == BoundaryType::kOpen,
                 high = domain.boundary[2 * a + 1] == BoundaryType::kOpen;
      view.open |= low || high;
      view.min[a] = low ? static_cast<Real>(domain.min[a]) : -kLargest<Real>;
      view.max[a] = high ? static_cast<Real>(domain.max[a]) : kLargest<Real>;
    }
    return view;
  }

  Exec& exec_;
  SinkView<Real> open_faces_;
  std::deque<DeviceShape<Exec, Real>> shapes_;
  std::deque<Buffer<Exec, double>> keys_;
  Buffer<Exec, ColliderShape<Real>> colliders_;
  Buffer<Exec, SdfProgram<Real>> sinks_;
  Buffer<Exec, RigidPose<Real>> poses_;
  Buffer<Exec, double> table_, sums_;
};

}  // namespace firn

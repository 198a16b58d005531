// Colliders and sinks as kernels see them: compiled shapes uploaded once, key frames where they
// change, and the bodies among them that material moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "kernels/exec/buffer.h"
#include "kernels/grid/rebuild.h"
#include "kernels/grid/update.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/motion_keys.h"
#include "src/scene/shapes.h"
#include "src/state/body_store.h"
#include "src/state/contact_fields.h"
#include "src/state/deforming_shapes.h"
#include "src/state/opening_store.h"
#include "src/state/partition.h"
#include "src/state/scene_params.h"

namespace firn {

// One uploaded shape; owns what its program points to.
template <class Exec, class Real>
class DeviceShape {
 public:
  DeviceShape(Exec& exec, const CompiledShape& shape)
      : code_(exec, std::span<const SdfInstruction<Real>>(instructions<Real>(shape))),
        meshes_(exec, std::span<const std::byte>(shape.deforming ? GridBytes() : shape.meshes)) {}
  SdfProgram<Real> program() const {
    return {code_.data(), static_cast<int>(code_.size()), meshes_.data()};
  }
  // Of one whose samples lie elsewhere.
  SdfProgram<Real> program(const Buffer<Exec, std::byte>& samples) const {
    return {code_.data(), static_cast<int>(code_.size()), samples.data()};
  }
  std::size_t bytes() const { return code_.bytes() + meshes_.bytes(); }

 private:
  Buffer<Exec, SdfInstruction<Real>> code_;
  Buffer<Exec, std::byte> meshes_;
};

template <class Exec, int D, class Real>
class ColliderStore {
 public:
  ColliderStore(Exec& exec, const Scene& scene)
      : exec_(exec),
        open_faces_(open_faces(scene)),
        openings_(exec, scene),
        bodies_(exec, scene),
        fields_(exec) {
    std::vector<ColliderShape<Real>> colliders;
    std::int32_t bodies = 0;
    const bool on_nodes = !traits_of(scene).staggered;
    const auto walls = domain_walls<D, Real>(scene);
    bool finds_surfaces = walls.any_minds_gap();
    for (int face = 0; walls.active && face < 2 * D; ++face)
      if (!walls.mirrors[face] && has_dependents(scene, walls.boundary[face]))
        fields_.find_dependents(walls.boundary[face]);
    for (const Collider& c : scene.colliders) {
      motions_.push_back({c.motion, c.motion, {}, {}, {}});
      ColliderShape<Real> collider = add_collider(c.shape, scene);
      collider.keys = upload_keys(motions_.back());
      collider.boundary = c.boundary;
      collider.friction = static_cast<Real>(c.friction);
      collider.body = c.dynamics ? bodies++ : -1;
      collider.minds_gaps = on_nodes && c.boundary == BoundaryType::kSeparate;
      collider.by_surface = on_nodes && c.boundary != BoundaryType::kSticky &&
                            (c.shape.type != ShapeType::kHalfSpace || collider.minds_gaps ||
                             scene.colliders.size() > 1);
      finds_surfaces |= collider.by_surface || c.dynamics.has_value();
      if (has_dependents(scene, c)) fields_.find_dependents(c.boundary);
      colliders.push_back(collider);
    }
    if (finds_surfaces) fields_.find_surfaces(colliders.size());
    std::vector<SdfProgram<Real>> sinks;
    for (const Sink& s : scene.sinks) sinks.push_back(add_shape(s.shape, scene));
    colliders_ =
        Buffer<Exec, ColliderShape<Real>>(exec, std::span<const ColliderShape<Real>>(colliders));
    sinks_ = Buffer<Exec, SdfProgram<Real>>(exec, std::span<const SdfProgram<Real>>(sinks));
    poses_ = Buffer<Exec, RigidPose<Real>>(exec, colliders.size());
    sums_ = Buffer<Exec, double>(exec, columns());
    sums_.zero();
    bodies_.report_to(sums_.data());
    std::vector<double> densities;
    densities.reserve(scene.materials.size());
    for (const Material& m : scene.materials) densities.push_back(m.density);
    densities_ = Buffer<Exec, double>(exec, std::span<const double>(densities));
  }

  int count() const { return static_cast<int>(colliders_.size()); }
  // Whether any of them may stand elsewhere, or look otherwise, in another step.
  bool moves() const {
    for (const Motion& motion : motions_)
      if (motion.now) return true;
    return bodies_.count() > 0 || !deforming_.empty();
  }
  // Whether sources open some of what holds material.
  bool has_openings() const { return openings_.view().count > 0; }
  // Whether contact of nodes is judged by the surface of the material (see find_surfaces).
  bool finds_surfaces() const { return fields_.has_surfaces(); }
  // Whether nodes may depend on others (see find_dependents).
  bool finds_dependents() const { return fields_.has_dependents(); }
  // See there.
  void forget_dependents() { fields_.forget_dependents(); }
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
    bodies_.reserve(blocks);
    fields_.reserve(blocks);
  }
  void fill(GridUpdateParams<Real, D>& params) {
    params.colliders = colliders_.data();
    params.poses = poses_.data();
    params.collider_count = count();
    params.reactions = table_.data();
    fields_.fill(params);
    params.densities = densities_.data();
    params.materials = static_cast<int>(densities_.size());
    params.openings = openings_.view();
    bodies_.fill(params);
  }
  // Before steps from `time` (s) on, where nothing runs: the shapes that change follow it. Returns
  // until when steps may be made, or infinity.
  double deform(double time) {
    if (deforming_.empty()) return std::numeric_limits<double>::infinity();
    exec_.synchronize();
    return deforming_.show(time);
  }
  // When the next key frame comes, from which on a collider moves otherwise: behind `time` (s), or
  // never.
  double next_key(double time) const {
    double next = std::numeric_limits<double>::infinity();
    for (const Motion& motion : motions_)
      if (motion.now)
        for (const double key : motion.now->times)
          if (key > time) next = std::min(next, key);
    return next;
  }
  // No point of a surface moves faster (m/s) from `time` until then.
  double fastest(double time) const {
    const double next = next_key(time), within = std::isfinite(next) ? 0.5 * (time + next) : time;
    double fastest = 0;
    for (const Motion& motion : motions_) {
      if (!motion.now) continue;
      const std::vector<double> keys = packed_keys(motion.now);
      fastest = std::max(fastest, motion.speed(view_of(motion.now, keys.data()), within));
    }
    return fastest;
  }
  // Nor, where its shape changes, relative to the shape as a whole.
  bool any_deforms() const { return !deforming_.empty(); }
  double fastest_deforming() const { return deforming_.fastest(); }
  // Nor by key frames at any time.
  double fastest() const {
    double fastest = 0;
    for (const Motion& motion : motions_) {
      if (!motion.now) continue;
      const std::vector<double> keys = packed_keys(motion.now);
      const std::vector<double>& times = motion.now->times;
      for (std::size_t k = 1; k < times.size(); ++k)
        fastest = std::max(fastest, motion.speed(view_of(motion.now, keys.data()),
                                                 0.5 * (times[k - 1] + times[k])));
    }
    return fastest;
  }
  BodyStore<Exec, D, Real>& moved() { return bodies_; }
  const BodyStore<Exec, D, Real>& moved() const { return bodies_; }
  // This step's impulses, by block.
  BlockRows<double> reactions() { return {table_.data(), columns()}; }
  // Adds them to the sums of the frame.
  void accumulate(std::uint32_t max_blocks, const StepControl* control) {
    if (count() > 0)
      add_columns(exec_, table_.data(), {&control->n_blocks, max_blocks},
                  static_cast<int>(columns()), sums_.data(), &control->stop);
  }
  void clear_sums() { sums_.zero(); }
  std::vector<double> sums() const { return sums_.download(); }
  void set_sums(std::span<const double> values) { sums_.upload(values); }

  // Of all colliders at the time `now`, s.
  std::vector<ColliderState> states(double now) const {
    std::vector<ColliderState> states(motions_.size());
    const std::vector<ColliderShape<Real>> colliders = colliders_.download();
    const std::vector<RigidBody> bodies = bodies_.states();
    for (std::size_t c = 0; c < states.size(); ++c) {
      const auto b = static_cast<std::size_t>(colliders[c].body);
      const bool moved = colliders[c].body >= 0;
      const std::vector<double> keys = packed_keys(motions_[c].now);
      const RigidPose<double> pose =
          moved ? bodies_.pose_of(bodies[b], b)
                : pose_at<double>(view_of(motions_[c].now, keys.data()), now);
      states[c].time = now;
      for (int i = 0; i < 9; ++i)
        states[c].rotation[static_cast<std::size_t>(i)] = pose.rotation(i / 3, i % 3);
      for (int a = 0; a < 3; ++a) {
        const auto i = static_cast<std::size_t>(a);
        states[c].translation[i] = pose.translation[a];
        states[c].pivot[i] = pose.pivot[a];
        states[c].velocity[i] = pose.velocity[a];
        states[c].angular_velocity[i] = pose.angular_velocity[a];
      }
      if (moved) bodies_.describe(bodies[b], b, states[c]);
    }
    return states;
  }

  // Where nothing runs. Steps need not be captured anew: no address that they know changes.
  void set_motion(std::size_t c, const std::optional<Keyframes>& motion) {
    exec_.synchronize();
    motions_[c].now = motion;
    ColliderShape<Real> changed = colliders_.download(1, c)[0];
    changed.keys = upload_keys(motions_[c]);
    colliders_.upload(std::span<const ColliderShape<Real>>(&changed, 1), c);
  }

  // The bodies, and the key frames that are not the scene's.
  void save(ByteWriter& out) const {
    bodies_.save(out);
    for (const Motion& motion : motions_) {
      const bool set = motion.now != motion.of_scene;
      out.value(std::uint32_t{set});
      if (!set) continue;
      out.values(std::span<const double>(motion.now->times));
      out.values(std::span<const Vec3>(motion.now->translation));
      out.values(std::span<const Vec3>(motion.now->rotation));
      out.value(motion.now->pivot);
    }
  }
  // Throws Error{kFile} where key frames are cut short; false where the state is of another number
  // of bodies. Whether bodies and key frames make sense: consistent().
  bool load(ByteReader& in) {
    if (!bodies_.load(in)) return false;
    for (std::size_t c = 0; c < motions_.size(); ++c) {
      std::optional<Keyframes> motion = motions_[c].of_scene;
      if (in.value<std::uint32_t>() != 0) {
        motion.emplace();
        motion->times = in.values<double>();
        motion->translation = in.values<Vec3>();
        motion->rotation = in.values<Vec3>();
        motion->pivot = in.value<Vec3>();
      }
      set_motion(c, motion);
    }
    return true;
  }
  bool consistent() const {
    try {
      for (const Motion& motion : motions_)
        if (motion.now) check_motion(*motion.now, "");
    } catch (const Error&) {
      return false;
    }
    return bodies_.consistent();
  }

  std::size_t bytes_per_block() const {
    return columns() * sizeof(double) + bodies_.bytes_per_block() + fields_.bytes_per_block();
  }
  std::size_t bytes() const {
    std::size_t sum = table_.bytes() + bodies_.bytes() + deforming_.bytes() + fields_.bytes() +
                      densities_.bytes() + openings_.bytes();
    for (const auto& shape : shapes_) sum += shape.bytes();
    return sum;
  }

 private:
  SdfProgram<Real> add_shape(const Shape& shape, const Scene& scene) {
    shapes_.emplace_back(exec_, compile_shape(shape, scene.simulation.dimension, scene.grid.dx));
    return shapes_.back().program();
  }
  // Its program, and what of it changes.
  ColliderShape<Real> add_collider(const Shape& shape, const Scene& scene) {
    const CompiledShape compiled = compile_shape(shape, scene.simulation.dimension, scene.grid.dx);
    bound(motions_.back(), compiled, scene);
    shapes_.emplace_back(exec_, compiled);
    ColliderShape<Real> collider{};
    collider.program = shapes_.back().program();
    if (!compiled.deforming) return collider;
    DeformingShape<Exec>& deforming = deforming_.add(exec_, compiled);
    collider.program = shapes_.back().program(deforming.samples());
    collider.deforming = deforming.header();
    return collider;
  }
  struct Motion {
    std::optional<Keyframes> of_scene, now;
    Buffer<Exec, double> keys;
    Vec3 min{}, max{};  // of the shape, as far as the domain lets it

    // How far from there a point of the shape can be; 0 where nothing bounds it.
    double reach(const Vec<double, 3>& pivot) const {
      double squared = 0;
      for (std::size_t a = 0; a < D; ++a) {
        const double p = pivot[static_cast<int>(a)];
        const double far = std::max(std::abs(min[a] - p), std::abs(max[a] - p));
        squared += far * far;
      }
      return std::isfinite(squared) ? std::sqrt(squared) : 0;
    }
    // m/s, that no point of it exceeds at `time`.
    double speed(const KeyframeView& view, double time) const {
      const RigidPose<double> pose = pose_at<double>(view, time);
      return norm(pose.velocity) + norm(pose.angular_velocity) * reach(pose.pivot);
    }
  };
  static void bound(Motion& motion, const CompiledShape& shape, const Scene& scene) {
    motion.min = shape.min;
    motion.max = shape.max;
    for (std::size_t a = 0; scene.grid.domain && a < D; ++a) {
      if (!std::isfinite(motion.min[a])) motion.min[a] = scene.grid.domain->min[a];
      if (!std::isfinite(motion.max[a])) motion.max[a] = scene.grid.domain->max[a];
    }
  }

  KeyframeView upload_keys(Motion& motion) {
    const std::vector<double> values = packed_keys(motion.now);
    motion.keys = {};
    motion.keys = Buffer<Exec, double>(exec_, std::span<const double>(values));
    return view_of(motion.now, motion.keys.data());
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
  OpeningStore<Exec, D, Real> openings_;
  std::deque<DeviceShape<Exec, Real>> shapes_;
  DeformingShapes<Exec> deforming_;
  std::deque<Motion> motions_;  // one per collider
  BodyStore<Exec, D, Real> bodies_;
  Buffer<Exec, ColliderShape<Real>> colliders_;
  Buffer<Exec, SdfProgram<Real>> sinks_;
  Buffer<Exec, RigidPose<Real>> poses_;
  Buffer<Exec, double> table_, sums_;
  Buffer<Exec, double> densities_;  // of the materials, kg/m^D
  ContactFields<Exec, D, Real> fields_;
};

}  // namespace firn

// The bodies of a scene that material moves, in a backend's memory: what they weigh, where they are
// and how they move, and the tables of their contact with the grid.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>

#include "firn/simulation.h"
#include "kernels/exec/buffer.h"
#include "kernels/grid/bodies.h"
#include "kernels/grid/solid_contact.h"
#include "src/scene/mass_properties.h"
#include "src/scene/surface_points.h"
#include "src/state/bytes.h"

namespace firn {

template <class Exec, int D, class Real>
class BodyStore {
 public:
  BodyStore(Exec& exec, const Scene& scene)
      : exec_(exec),
        host_masses_(rigid_masses(scene)),
        masses_(exec, std::span<const RigidMass>(host_masses_)) {
    std::vector<RigidBody> bodies;
    for (const Collider& c : scene.colliders)
      if (c.dynamics) {
        bodies.push_back(initial_body(*c.dynamics, host_masses_[bodies.size()]));
        rubs_ |= c.boundary == BoundaryType::kSeparate;
      }
    for (std::size_t a = 0; a < D; ++a) gravity_[static_cast<int>(a)] = scene.simulation.gravity[a];
    for (const RigidMass& m : host_masses_) weight_ += m.mass * norm(gravity_);
    if (bodies.empty()) return;
    bodies_ = Buffer<Exec, RigidBody>(exec, std::span<const RigidBody>(bodies));
    judged_ = Buffer<Exec, RigidPose<Real>>(exec, bodies.size());
    sums_ = Buffer<Exec, double>(exec, bodies.size() * kColumns);
    sums_.zero();
    impulses_ = Buffer<Exec, double>(exec, scene.colliders.size() * kReactionColumns);
    impulses_.zero();
    set_points(scene);
  }

  std::size_t count() const { return bodies_.size(); }
  void reserve(std::uint32_t blocks) {
    systems_ = {};
    systems_ = Buffer<Exec, double>(exec_, count() * kColumns * blocks);
  }
  BodyView view() { return {bodies_.data(), masses_.data(), gravity_}; }
  // Per collider: kReactionColumns, 0 between steps.
  double* impulses() { return impulses_.data(); }
  void fill(GridUpdateParams<Real, D>& params) {
    params.judged = judged_.data();
    params.moved = static_cast<int>(count());
  }

  // The grid update of a step, and what follows it.
  void update_grid(const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                   std::uint32_t max_blocks, const StepControl* control) {
    update_with_bodies<Exec, D, Real>(exec_, params, view(), scratch(), rubs_ ? kContactRounds : 1,
                                      grid, max_blocks, control);
  }
  void advance(const GridUpdateParams<Real, D>& params, std::uint32_t max_blocks,
               StepControl* control) {
    take_impulses<Exec, D, Real>(exec_, params, view(), scratch(), max_blocks, control);
    if (any_collides()) resolve(params, false, control);
    move(params, control);
  }
  // Whether any of them meets walls and other colliders.
  bool any_collides() const { return !points_.empty(); }
  // What that does to their momenta. `applied`: these have in them what an earlier call of this
  // step has found, which is then corrected.
  void resolve(const GridUpdateParams<Real, D>& params, bool applied, const StepControl* control) {
    resolve_solids<Exec, D, Real>(exec_, contact(params, applied), control);
  }
  void move(const GridUpdateParams<Real, D>& params, StepControl* control) {
    if (any_collides())
      add_contact_reactions<Exec, D, Real>(exec_, contact(params, false), reactions_, control);
    move_bodies<Exec, D, Real>(exec_, params, view(), control);
  }
  // Where the reactions of the frame are summed up, [collider][kReactionColumns].
  void report_to(double* reactions) { reactions_ = reactions; }

  const std::vector<RigidMass>& masses() const { return host_masses_; }
  std::vector<RigidBody> states() const { return bodies_.download(); }
  // The fastest that a point of a body's surface may be now, squared.
  double speed_squared() const {
    double fastest = 0;
    const std::vector<RigidBody> bodies = states();
    for (std::size_t b = 0; b < bodies.size(); ++b)
      fastest = std::max(fastest, norm(bodies[b].velocity) +
                                      norm(rigid::angular_velocity(host_masses_[b], bodies[b])) *
                                          host_masses_[b].radius);
    return fastest * fastest;
  }
  // What reports say of body b.
  void describe(const RigidBody& body, std::size_t b, ColliderState& state) const {
    const RigidMass& mass = host_masses_[b];
    const Vec<double, 3> w = rigid::angular_velocity(mass, body),
                         moment = cross(body.center, mass.mass * body.velocity) + body.spin;
    state.dynamic = true;
    state.mass = mass.mass;
    for (int a = 0; a < 3; ++a) {
      const auto i = static_cast<std::size_t>(a);
      state.momentum[i] = mass.mass * body.velocity[a];
      state.angular_momentum[i] = moment[a];
      state.potential -= mass.mass * gravity_[a] * body.center[a];
    }
    state.kinetic = 0.5 * (mass.mass * norm_squared(body.velocity) + dot(w, body.spin));
  }
  RigidPose<double> pose_of(const RigidBody& body, std::size_t b) const {
    return rigid::pose_of<double>(host_masses_[b], body,
                                  {body.velocity, rigid::angular_velocity(host_masses_[b], body)});
  }

  void save(ByteWriter& out) const {
    out.values(std::span<const RigidBody>(states()));
    const std::vector<ContactImpulse> impulses = contact_impulses();
    out.values(std::span<const ContactImpulse>(impulses));
  }
  // False where there is another number of them, which leaves these as they are.
  bool load(ByteReader& in) {
    const auto bodies = in.values<RigidBody>();
    const auto impulses = in.values<ContactImpulse>();
    if (bodies.size() != count() || impulses.size() != points_.size()) return false;
    bodies_.upload(bodies);
    std::vector<ContactPoint> contacts;
    std::transform(impulses.begin(), impulses.end(), std::back_inserter(contacts), contact_of);
    contacts_.upload(contacts);
    return true;
  }
  // Whether no number is infinite or none, and orientations are unit quaternions.
  bool consistent() const {
    const std::vector<ContactImpulse> impulses = contact_impulses();
    const bool finite = std::all_of(impulses.begin(), impulses.end(), [](const ContactImpulse& c) {
      return std::isfinite(c.normal_impulse + c.dt + norm(c.friction_impulse)) &&
             !(c.normal_impulse > 0 && !(c.dt > 0));
    });
    if (!finite) return false;
    const std::vector<RigidBody> bodies = states();
    return std::all_of(bodies.begin(), bodies.end(), [](const RigidBody& body) {
      double length = 0, sum = 0;
      for (double q : body.orientation) length += q * q;
      for (int a = 0; a < 3; ++a)
        sum += std::abs(body.center[a]) + std::abs(body.velocity[a]) + std::abs(body.spin[a]) +
               std::abs(body.before[a]);
      return std::isfinite(sum) && std::abs(length - 1) < 1e-6;
    });
  }

  std::size_t bytes_per_block() const { return count() * kColumns * sizeof(double); }
  std::size_t bytes() const {
    return systems_.bytes() + masses_.bytes() + bodies_.bytes() + judged_.bytes() + sums_.bytes() +
           impulses_.bytes() + properties_.bytes() + points_.bytes() + body_of_.bytes() +
           pairs_.bytes() + active_.bytes() + contacts_.bytes();
  }

 private:
  static constexpr std::size_t kColumns = ContactSystem<D>::kColumns;

  static RigidBody initial_body(const Dynamics& dynamics, const RigidMass& mass) {
    RigidBody body{};
    body.orientation[3] = 1;
    body.center = mass.center;
    Vec<double, 3> w;
    for (int a = 0; a < 3; ++a) {
      const auto i = static_cast<std::size_t>(a);
      body.velocity[a] = a < D ? dynamics.velocity[i] : 0;
      w[a] = D == 3 || a == 2 ? dynamics.angular_velocity[i] : 0;
    }
    body.spin = mass.inertia * w;
    body.before = body.velocity;
    return body;
  }
  void set_points(const Scene& scene) {
    std::vector<SolidProperties> properties;
    std::vector<Vec<double, 3>> points;
    std::vector<std::int32_t> body_of;
    for (const Collider& c : scene.colliders) {
      if (!c.dynamics) continue;
      const auto body = static_cast<std::int32_t>(properties.size());
      const Dynamics& of = *c.dynamics;
      properties.push_back({of.contact_friction, of.restitution, 0, of.collides ? 1u : 0u});
      if (!of.collides) continue;
      const SurfacePoints surface = surface_points(
          compile_shape(c.shape, scene.simulation.dimension, scene.grid.dx), scene.grid.dx);
      properties.back().spacing = surface.spacing;
      for (const Vec3& x : surface.points) {
        points.push_back({{x[0], x[1], x[2]}});
        body_of.push_back(body);
      }
    }
    dx_ = static_cast<Real>(scene.grid.dx);
    if (points.empty()) return;
    properties_ =
        Buffer<Exec, SolidProperties>(exec_, std::span<const SolidProperties>(properties));
    points_ = Buffer<Exec, Vec<double, 3>>(exec_, std::span<const Vec<double, 3>>(points));
    body_of_ = Buffer<Exec, std::int32_t>(exec_, std::span<const std::int32_t>(body_of));
    pairs_ =
        Buffer<Exec, std::uint32_t>(exec_, properties.size() * (2 * D + scene.colliders.size()));
    ContactPoint none{};
    none.holder = -1;
    const std::vector<ContactPoint> contacts(points.size(), none);
    contacts_ = Buffer<Exec, ContactPoint>(exec_, std::span<const ContactPoint>(contacts));
    active_ = Buffer<Exec, std::uint32_t>(exec_, points.size() + 1);
  }
  SolidContact<Real, D> contact(const GridUpdateParams<Real, D>& params, bool applied) {
    return {.params = params,
            .moved = view(),
            .dx = dx_,
            .properties = properties_.data(),
            .points = points_.data(),
            .body_of = body_of_.data(),
            .count = static_cast<std::uint32_t>(points_.size()),
            .pairs = pairs_.data(),
            .contacts = contacts_.data(),
            .active = active_.data(),
            .impulses = impulses_.data(),
            .total_weight = weight_,
            .applied = applied};
  }
  std::vector<ContactImpulse> contact_impulses() const {
    const std::vector<ContactPoint> contacts = contacts_.download();
    std::vector<ContactImpulse> impulses;
    std::transform(contacts.begin(), contacts.end(), std::back_inserter(impulses), impulse_of);
    return impulses;
  }
  BodyScratch scratch() { return {systems_.data(), sums_.data(), impulses_.data()}; }

  Exec& exec_;
  std::vector<RigidMass> host_masses_;
  bool rubs_ = false;  // which nodes touch, and how, depends on how a body moves
  Vec<double, 3> gravity_ = Vec<double, 3>::zero();
  Buffer<Exec, RigidMass> masses_;
  Buffer<Exec, RigidBody> bodies_;
  Buffer<Exec, RigidPose<Real>> judged_;
  Buffer<Exec, double> systems_, sums_, impulses_;
  double* reactions_ = nullptr;
  double weight_ = 0;  // N
  Real dx_ = 0;
  Buffer<Exec, SolidProperties> properties_;
  Buffer<Exec, Vec<double, 3>> points_;
  Buffer<Exec, std::int32_t> body_of_;
  Buffer<Exec, std::uint32_t> pairs_, active_;
  Buffer<Exec, ContactPoint> contacts_;
};

}  // namespace firn

// Bodies that liquid moves: a part of the projection (kernels/liquid/moved_bodies.h).
#pragma once

#include <algorithm>

#include "kernels/liquid/body_term.h"
#include "src/stages/face_transfer.h"

namespace firn {

template <class Exec, int D, class Real>
class MovedBodies : public Stage<Exec, D, Real>, public EllipticTerm<Real> {
 public:
  MovedBodies(StepContext<Exec, D, Real>& context, FaceTransfer<Exec, D, Real>& faces)
      : Stage<Exec, D, Real>(context),
        faces_(faces),
        parts_(context.exec, count() * kSums),
        motions_(context.exec, count()),
        changed_(context.exec, 1) {}

  std::size_t count() const { return context_.bodies.moved().count(); }

  // How they will move without the pressure, of which liquid is accelerated; with `stressed`, what
  // colliders have taken of its momentum as well.
  void free(bool stressed) {
    if (count() > 0)
      free_bodies<Exec, D, Real>(context_.exec, coupling(), stressed, context_.max_blocks(),
                                 context_.step());
  }
  // With the pressure that has been solved for; whether what else acts on bodies is then another
  // than the pressure knows of: what they have met, or the weight of what lies before them.
  // `again`: after let_go(), with what they have met in their free motion.
  bool push(bool again) {
    push_bodies(true);
    changed_.zero();
    weigh_bodies<Exec, D, Real>(context_.exec, coupling(), changed_.data(), context_.max_blocks(),
                                context_.step());
    if (context_.bodies.moved().any_collides()) {
      context_.bodies.moved().resolve(context_.boundaries(), again, context_.step());
      hit_bodies<Exec, D, Real>(context_.exec, coupling(), changed_.data(), context_.max_blocks(),
                                context_.step());
    }
    return changed_.first() != 0;
  }
  // Without the pressure again.
  void let_go() { push_bodies(false); }
  // At the end of the step.
  void move() {
    if (count() > 0) context_.bodies.moved().move(context_.boundaries(), context_.step());
  }

  void add_product(const EllipticVectors<Real>& v, std::uint32_t blocks) override {
    add_body_product<Exec, D, Real>(context_.exec, coupling(), v, blocks);
  }
  void subtract_product(const EllipticVectors<Real>& v, std::uint32_t blocks) override {
    subtract_body_product<Exec, D, Real>(context_.exec, coupling(), v, blocks);
  }
  void tie(const ComponentView<Real>& components, std::uint32_t count,
           std::uint32_t blocks) override {
    const std::size_t room = std::size_t{count} * Coupling::System::kUnknowns;
    if (ties_.size() < room) renew(context_.exec, ties_, 2 * room);
    tie_components<Exec, D, Real>(context_.exec, coupling(), components, ties_.data(), count,
                                  blocks);
  }

  void reserve_blocks(std::uint32_t blocks) {
    if (count() == 0) return;
    renew(context_.exec, owner_, blocks * kFaces);
    renew(context_.exec, near_, blocks);
  }
  std::size_t bytes() const {
    return owner_.bytes() + near_.bytes() + parts_.bytes() + motions_.bytes() + ties_.bytes();
  }
  // What bytes() says once `blocks` are reserved, for estimates.
  static std::size_t bytes_for(const Scene& scene, std::uint32_t blocks) {
    const auto bodies = static_cast<std::size_t>(
        std::count_if(scene.colliders.begin(), scene.colliders.end(),
                      [](const Collider& c) { return c.dynamics.has_value(); }));
    if (bodies == 0) return 0;
    return blocks * (kFaces * sizeof(std::int16_t) + sizeof(std::uint32_t)) +
           bodies * (kSums * sizeof(double) + sizeof(BodyMotion));
  }

 private:
  using Stage<Exec, D, Real>::context_;
  using Coupling = BodyCoupling<Real, D>;
  static constexpr std::size_t kFaces = D * BlockTraits<D>::kNodes;  // of a block
  static constexpr std::size_t kSums = Coupling::kParts * Coupling::System::kUnknowns;  // of a body

  void push_bodies(bool found) {
    firn::push_bodies<Exec, D, Real>(context_.exec, coupling(), found, context_.max_blocks(),
                                     context_.step());
  }
  Coupling coupling() {
    auto& moved = context_.bodies.moved();
    return {context_.boundaries(), context_.grid.view(), faces_.view(),
            moved.view(),          owner_.data(),        near_.data(),
            parts_.data(),         motions_.data(),      moved.impulses()};
  }

  FaceTransfer<Exec, D, Real>& faces_;
  Buffer<Exec, std::int16_t> owner_;
  Buffer<Exec, std::uint32_t> near_;
  Buffer<Exec, double> parts_;
  Buffer<Exec, BodyMotion> motions_;
  Buffer<Exec, std::uint32_t> changed_;
  Buffer<Exec, std::int64_t> ties_;
};

}  // namespace firn

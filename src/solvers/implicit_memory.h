// What an implicit step (kernels/implicit/system.h) keeps of nodes and particles while its
// velocities are solved for. Nothing in it outlives a step, so what gets larger starts empty.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "firn/scene.h"
#include "kernels/exec/buffer.h"
#include "kernels/implicit/system.h"

namespace firn {

template <class Exec, int D, class Real>
class ImplicitMemory {
 public:
  enum Channel { kTarget, kVelocity, kTrial, kGradient, kRhs, kDirection, kChannels };

  ImplicitMemory(Exec& exec, const Scene& scene) : exec_(exec), sums_(exec, kPlaces) {
    sums_.zero();
    if (!is_damped(scene)) return;
    std::vector<Real> factors;
    for (const Material& m : scene.materials)
      factors.push_back(static_cast<Real>(m.stiffness_damping));
    factors_ = Buffer<Exec, Real>(exec, std::span<const Real>(factors));
  }

  void reserve(std::uint32_t blocks) {
    const std::size_t nodes = std::size_t{blocks} * BlockTraits<D>::kNodes;
    for (auto& channel : channels_) renew(exec_, channel, 4 * nodes);
    renew(exec_, inverse_, 8 * nodes);
    renew(exec_, kind_, nodes);
    renew(exec_, hold_, nodes);
    renew(exec_, closed_, nodes);
    renew(exec_, partials_, kNewtonColumns * std::size_t{blocks});
  }
  void reserve_particles(std::uint32_t chunks) {
    const std::size_t slots = std::size_t{chunks} * kLanes;
    const std::size_t stiffness = slots * stiffness_components<D>(),
                      damping = slots * damping_components<D>();
    if (stiffness_.size() < stiffness) renew(exec_, stiffness_, stiffness);
    if (!factors_.empty() && damping_.size() < damping) renew(exec_, damping_, damping);
  }

  void clear() {
    for (int c = kVelocity; c < kChannels; ++c) channels_[c].zero();
    partials_.zero();
  }
  Buffer<Exec, Real>& channel(Channel c) { return channels_[c]; }
  // The trial becomes the iterate.
  void accept_trial() { std::swap(channels_[kVelocity], channels_[kTrial]); }
  // What evaluations have added up, one for each of the guesses that are compared.
  static constexpr int kPlaces = 3;
  using Sums = std::array<NewtonSums, kPlaces>;
  Sums read_sums() const {
    Sums sums;
    sums_.read(sums);
    return sums;
  }
  // Per material; null: none is damped.
  const Real* damping_factors() const { return factors_.empty() ? nullptr : factors_.data(); }

  ImplicitView<Real> view() {
    ImplicitView<Real> v;
    v.target = channels_[kTarget].data();
    v.velocity = channels_[kVelocity].data();
    v.trial = channels_[kTrial].data();
    v.gradient = channels_[kGradient].data();
    v.rhs = channels_[kRhs].data();
    v.direction = channels_[kDirection].data();
    v.inverse = inverse_.data();
    v.kind = kind_.data();
    v.hold = hold_.data();
    v.closed = closed_.data();
    v.stiffness = stiffness_.data();
    v.damping = damping_.data();
    v.partials = partials_.data();
    v.sums = sums_.data();
    return v;
  }

  std::size_t bytes() const {
    std::size_t sum = inverse_.bytes() + kind_.bytes() + hold_.bytes() + closed_.bytes() +
                      partials_.bytes() + stiffness_.bytes() + damping_.bytes() + factors_.bytes() +
                      sums_.bytes();
    for (const auto& channel : channels_) sum += channel.bytes();
    return sum;
  }
  // What bytes() says once these are reserved, for estimates.
  static std::size_t bytes_for(const Scene& scene, std::uint32_t blocks, std::size_t chunks) {
    const std::size_t node = (4 * kChannels + 8) * sizeof(Real) + sizeof(std::uint32_t) +
                             sizeof(NodeHold<Real>) + sizeof(std::uint64_t);
    const std::size_t block = BlockTraits<D>::kNodes * node + kNewtonColumns * sizeof(double);
    const bool damped = is_damped(scene);
    const std::size_t particle = stiffness_components<D>() + (damped ? damping_components<D>() : 0);
    return blocks * block + chunks * kLanes * particle * sizeof(Real) +
           kPlaces * sizeof(NewtonSums) + (damped ? scene.materials.size() * sizeof(Real) : 0);
  }

 private:
  static bool is_damped(const Scene& scene) {
    return std::any_of(scene.materials.begin(), scene.materials.end(),
                       [](const Material& m) { return m.stiffness_damping > 0; });
  }

  Exec& exec_;
  std::array<Buffer<Exec, Real>, kChannels> channels_;
  Buffer<Exec, Real> inverse_, stiffness_, damping_;
  Buffer<Exec, Real> factors_;  // of damping, per material; empty: there is none
  Buffer<Exec, std::uint32_t> kind_;
  Buffer<Exec, NodeHold<Real>> hold_;
  Buffer<Exec, std::uint64_t> closed_;
  Buffer<Exec, double> partials_;
  Buffer<Exec, NewtonSums> sums_;
};

}  // namespace firn

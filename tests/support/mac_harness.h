// Particles, faces and the MAC transfers on one backend, driven one at a time. The grid step
// between them is made on the host, so that it can do to the faces whatever a test needs.
#pragma once

#include "kernels/transfer/mac.h"
#include "tests/support/particle_harness.h"

namespace firn::test {

template <int D>
struct HarnessFace {
  int axis = 0;
  Vec<double, D> x{};
  double value = 0;  // momentum, or velocity after the grid update
  double mass = 0, volume = 0;
};

// Each axis has masses and volumes of its own.
template <int D>
struct FaceSums : Sums {
  Vec<double, D> masses = Vec<double, D>::zero(), volumes = Vec<double, D>::zero();
};

template <class Exec, int D, class Real>
class MacHarness : public ParticleHarness<Exec, D, Real> {
  using Base = ParticleHarness<Exec, D, Real>;
  using Base::control_, Base::dx_, Base::exec_, Base::grid_, Base::particles_, Base::transfer_;

 public:
  using Base::control, Base::kBlocks;
  using Face = HarnessFace<D>;

  MacHarness(Exec& exec, const TransferParams& transfer, int stored_modes, double dx)
      : Base(exec, transfer, stored_modes, dx),
        faces_(exec, std::size_t{kBlocks} * D * BlockTraits<D>::kNodes * 4) {
    transfer_.staggered = true;
  }

  ParticleBounds<Real, D> bounds;

  void particles_to_grid() {
    faces_.zero();
    mac_p2g<Exec, D, Real>(exec_, transfer_, particles_.view(), grid_.view(), faces_.data(),
                           control_.data(), kBlocks);
    holds_velocities_ = false;
  }
  // Momentum to velocity; mass and volume move to the free entries.
  void update_grid() {
    auto raw = Base::download_nodes(faces_.data(), D);
    for (std::size_t i = 0; i < raw.size(); i += 4) {
      const Real mass = raw[i + kFaceMass], volume = raw[i + kFaceVolume];
      raw[i + kFaceVelocity] = mass > 0 ? raw[i + kFaceMomentum] / mass : Real(0);
      raw[i + kFaceIncrement] = 0;
      raw[i + kMassKept] = mass;
      raw[i + kVolumeKept] = volume;
    }
    faces_.upload(raw);
    holds_velocities_ = true;
  }
  void grid_to_particles() {
    mac_g2p<Exec, D, Real>(exec_, transfer_, bounds, particles_.view(), grid_.view(), faces_.data(),
                           control_.data(), kBlocks);
  }

  // Faces that carry mass, in the order of the grid.
  std::vector<Face> faces() {
    const auto raw = Base::download_nodes(faces_.data(), D);
    std::vector<Face> faces;
    for_each_face([&](std::size_t i, int axis, const Vec<double, D>& x) {
      const double mass = raw[i + (holds_velocities_ ? kMassKept : kFaceMass)];
      if (!(mass > 0)) return;
      const double volume = raw[i + (holds_velocities_ ? kVolumeKept : kFaceVolume)];
      faces.push_back({axis, x, static_cast<double>(raw[i]), mass, volume});
    });
    return faces;
  }
  // Replaces the velocities of the faces that carry mass by f(velocity, axis, position), as a force
  // would.
  template <class F>
  void change_velocities(F&& f) {
    auto raw = Base::download_nodes(faces_.data(), D);
    for_each_face([&](std::size_t i, int axis, const Vec<double, D>& x) {
      if (!(raw[i + kMassKept] > 0)) return;
      const Real after = static_cast<Real>(f(static_cast<double>(raw[i]), axis, x));
      raw[i + kFaceIncrement] += after - raw[i];
      raw[i] = after;
    });
    faces_.upload(raw);
  }

  FaceSums<D> grid_sums() {
    FaceSums<D> sums;
    for (const Face& face : faces()) {
      const auto axis = static_cast<std::size_t>(face.axis);
      Vec3 x{}, p{};
      for (int a = 0; a < D; ++a) x[a] = face.x[a];
      p[axis] = face.value * (holds_velocities_ ? face.mass : 1);
      sums.momentum[axis] += p[axis];
      sums.kinetic += 0.5 * p[axis] * p[axis] / face.mass;
      sums.masses[face.axis] += face.mass;
      sums.volumes[face.axis] += face.volume;
      add_angular(sums, x, p);
    }
    return sums;
  }

 private:
  static constexpr int kMassKept = 2, kVolumeKept = 3;  // after update_grid

  // f(first real, axis, position)
  template <class F>
  void for_each_face(F&& f) {
    constexpr std::size_t kCells = BlockTraits<D>::kNodes;
    Base::for_each_cell([&](std::size_t i, const Vec<int, D>& cell) {
      for (int axis = 0; axis < D; ++axis) {
        Vec<double, D> x;
        for (int a = 0; a < D; ++a) x[a] = dx_ * (cell[a] + (a == axis ? 0.0 : 0.5));
        f(4 * ((i / kCells * D + static_cast<std::size_t>(axis)) * kCells + i % kCells), axis, x);
      }
    });
  }

  Buffer<Exec, Real> faces_;
  bool holds_velocities_ = false;
};

}  // namespace firn::test

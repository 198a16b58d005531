// The faces of cells that bodies have which liquid moves, and sums over them (moved_bodies.h).
#pragma once

#include "kernels/exec/launch.h"
#include "kernels/liquid/moved_bodies.h"
#include "kernels/mac/boundary_geometry.h"

namespace firn {

template <int D, class Real>
struct CoupledBlocks {
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  static constexpr int kUnknowns = ContactSystem<D>::kUnknowns;
  using Unknowns = Vec<double, kUnknowns>;
  BodyCoupling<Real, D> bodies;

  FIRN_HD BoundaryGeometry<D, Real> boundary() const { return {bodies.params, bodies.grid}; }
  // The body that has the closed part of a face; -1: none, or none that material moves.
  FIRN_HD int owner_of(std::uint32_t block, std::uint64_t face) const {
    return bodies.near[block] != 0 ? bodies.owner[face] : -1;
  }
  FIRN_HD static std::uint32_t bit_of(int body) { return 1u << (body & 31); }
  FIRN_HD Vec<int, D> block_at(std::uint32_t rank) const {
    return block_of_key<D>(bodies.grid.keys[rank]);
  }
  // Of a face of the cell: from the centre of mass of the body.
  FIRN_HD Vec<double, D> arm_of(int body, const Vec<int, D>& block, const Vec<int, D>& local,
                                int axis) const {
    const Vec<Real, D> x = boundary().face_position(block, local, axis);
    Vec<double, D> r;
    for (int a = 0; a < D; ++a)
      r[a] = static_cast<double>(x[a]) - bodies.moved.bodies[body].center[a];
    return r;
  }
  // What a unit along an axis at that arm is to the body.
  FIRN_HD static Unknowns unit_at(const Vec<double, D>& arm, int axis) {
    Vec<double, D> unit = Vec<double, D>::zero();
    unit[axis] = 1;
    return ContactSystem<D>::transposed(arm, unit);
  }
  FIRN_HD static double dot_with(const RigidVelocity& u, const Unknowns& of) {
    constexpr int kSpins = kUnknowns - D, kAxis = 3 - kSpins;  // 2D: about z alone
    double sum = 0;
    for (int a = 0; a < D; ++a) sum += u.linear[a] * of[a];
    for (int i = 0; i < kSpins; ++i) sum += u.angular[kAxis + i] * of[D + i];
    return sum;
  }
  // Closed share of a face that a body has.
  FIRN_HD double closed(std::uint64_t face) const {
    return 1.0 - static_cast<double>(bodies.mac.area[face]);
  }
};

// Sums over the faces that bodies have, body by body and part by part of the blocks: `Of` says what
// a face between two cells adds, kg m/s along its axis over its area.
template <int D, class Real, class Of>
struct SumOverFaces : CoupledBlocks<D, Real> {
  static constexpr const char* kName = Of::kName;
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kParts = BodyCoupling<Real, D>::kParts;
  using Base = CoupledBlocks<D, Real>;
  using Base::bodies, Base::kCells, Base::kUnknowns;
  struct Scratch {
    double sums[kCells][kUnknowns];
  };
  Of of;
  DeviceCount blocks;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const int body = static_cast<int>(g.index() / kParts);
    const std::uint32_t part = g.index() % kParts;
    const std::uint64_t n =
        blocks.value != nullptr && *blocks.value < blocks.bound ? *blocks.value : blocks.bound;
    g.for_each(kCells, [&](std::uint32_t cell) {
      for (int k = 0; k < kUnknowns; ++k) g.scratch.sums[cell][k] = 0;
    });
    const std::uint32_t end = static_cast<std::uint32_t>(n * (part + 1) / kParts);
    for (std::uint32_t block = static_cast<std::uint32_t>(n * part / kParts); block < end; ++block)
      if ((bodies.near[block] & Base::bit_of(body)) != 0)
        g.for_each(kCells, [&](std::uint32_t cell) {
          for (int a = 0; a < D; ++a) add(g.scratch.sums[cell], body, {block, cell}, a);
        });
    for (std::uint32_t n_left = kCells / 2; n_left > 0; n_left /= 2) {
      g.sync();
      g.for_each(n_left, [&](std::uint32_t cell) {
        for (int k = 0; k < kUnknowns; ++k)
          g.scratch.sums[cell][k] += g.scratch.sums[cell + n_left][k];
      });
    }
    g.sync();
    double* to = bodies.parts + std::uint64_t{g.index()} * kUnknowns;
    g.for_each(kUnknowns, [&](std::uint32_t k) { to[k] = g.scratch.sums[0][k]; });
  }
  FIRN_HD void add(double* sums, int body, const CellAddress& upper, int axis) const {
    const std::uint64_t face = face_index<D>(upper.block, axis, upper.cell);
    if (bodies.owner[face] != body || !(bodies.mac.area[face] < Real(1))) return;
    const CellAddress lower = cell_beside<D>(bodies.mac, upper, axis, -1);
    const double push =
        this->closed(face) * (of_cell(body, lower, axis) - of_cell(body, upper, axis));
    if (push == 0) return;
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(upper.cell));
    const auto unit =
        Base::unit_at(this->arm_of(body, this->block_at(upper.block), local, axis), axis);
    for (int k = 0; k < kUnknowns; ++k) sums[k] += push * unit[k];
  }
  FIRN_HD double of_cell(int body, const CellAddress& cell, int axis) const {
    return is_fluid(bodies.mac, cell) ? of(bodies, body, cell, axis) : 0.0;
  }
};

// q of the cell.
template <int D, class Real>
struct PressureOfCell {
  static constexpr const char* kName = "sum_thrust";
  const Real* q;
  FIRN_HD double operator()(const BodyCoupling<Real, D>&, int, const CellAddress& cell, int) const {
    return static_cast<double>(q[cell_index(cell)]);
  }
};

// What the sums over faces are of a body: velocities change by M^-1 of them.
template <int D, class Real>
struct ResolveBodies {
  static constexpr const char* kName = "resolve_bodies";
  static constexpr std::uint32_t kParts = BodyCoupling<Real, D>::kParts;
  static constexpr int kUnknowns = ContactSystem<D>::kUnknowns;
  BodyCoupling<Real, D> bodies;

  // N s and N m s, if the sums are over the area of a face.
  FIRN_HD void total(std::uint32_t body, Vec<double, 3>& impulse, Vec<double, 3>& moment) const {
    double sums[kUnknowns] = {};
    const double* parts = bodies.parts + std::uint64_t{body} * kParts * kUnknowns;
    for (std::uint32_t p = 0; p < kParts; ++p)
      for (int k = 0; k < kUnknowns; ++k) sums[k] += parts[p * kUnknowns + k];
    double area = 1;
    for (int a = 1; a < D; ++a) area *= static_cast<double>(bodies.grid.dx);
    impulse = moment = Vec<double, 3>::zero();
    constexpr int kSpins = kUnknowns - D, kAxis = 3 - kSpins;
    for (int a = 0; a < D; ++a) impulse[a] = area * sums[a];
    for (int i = 0; i < kSpins; ++i) moment[kAxis + i] = area * sums[D + i];
  }
  FIRN_HD RigidVelocity change(int body, const Vec<double, 3>& impulse,
                               const Vec<double, 3>& moment) const {
    const RigidMass& mass = bodies.moved.masses[body];
    const Mat<double, 3> R = rigid::rotation_of(bodies.moved.bodies[body].orientation);
    return {(1 / mass.mass) * impulse, R * (mass.inverse_inertia * (transpose(R) * moment))};
  }
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t body) const {
    Vec<double, 3> impulse, moment;
    total(body, impulse, moment);
    bodies.motions[body].change = change(static_cast<int>(body), impulse, moment);
  }
};

template <int D, class Real, class Exec, class Of>
void sum_over_faces(Exec& exec, const BodyCoupling<Real, D>& bodies, const Of& of,
                    DeviceCount blocks, const std::uint32_t* stop) {
  const auto moved = static_cast<std::uint32_t>(bodies.params.moved);
  launch_groups(exec, {{nullptr, moved * BodyCoupling<Real, D>::kParts}, stop},
                SumOverFaces<D, Real, Of>{{bodies}, of, blocks});
}

}  // namespace firn

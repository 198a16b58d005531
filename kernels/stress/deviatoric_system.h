// The system of deviatoric.h as MINRES sees it: the space of faces with the cells' pressure as
// their companion, the operator on it and the preconditioner, a projection.
#pragma once

#include "kernels/mac/mac_grid.h"
#include "kernels/stress/deviatoric.h"
#include "kernels/transfer/mac.h"

namespace firn {

template <int N, class Real>
Real power(Real x) {
  Real product = 1;
  for (int i = 0; i < N; ++i) product *= x;
  return product;
}

template <int D, class RealType>
struct DeviatoricSpace {
  using Real = RealType;
  static constexpr std::uint32_t kCompanions = BlockTraits<D>::kNodes, kValues = D * kCompanions;
  MacView<Real> mac;
  const Real* mass;
  Real* pressure;

  FIRN_HD bool is_active(std::uint64_t face) const { return mass[face] > Real(0); }
  FIRN_HD void add(std::uint64_t face, Real step, Real w) const {
    mac.faces[face].set(kFaceVelocity, mac.faces[face][kFaceVelocity] + step * w);
  }
  FIRN_HD void add_companion(std::uint64_t cell, Real step, Real w) const {
    pressure[cell] += step * w;
  }
};

// B' y of y = -q: the impulse that a face gives to the pressure's gradient, kg m/s.
template <int D, class Real>
struct PressureForce {
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  MacView<Real> mac;
  Real face_area;
  FIRN_HD Real operator()(const Real* q, std::uint32_t block, std::uint32_t i) const {
    const CellAddress upper{block, i % kCells};
    const CellAddress lower =
        cell_address<D>(mac, block,
                        stepped<D>(local_of_node<D>(static_cast<int>(upper.cell)),
                                   static_cast<int>(i / kCells), -1));
    const Real below = lower.exists() ? q[cell_index(lower)] : Real(0);
    return face_area * mac.area[face_index<D>(block, 0, i)] * (q[cell_index(upper)] - below);
  }
};

// (M + dt^2 H) in + B' y, once E^T H E in is in `out`.
template <int D, class Real>
struct DeviatoricProduct {
  KrylovVector<Real> in;
  const Real *out, *mass;
  PressureForce<D, Real> force;
  const StepControl* control;
  FIRN_HD Real operator()(std::uint32_t block, std::uint32_t i, std::uint64_t face) const {
    const Real dt2 = static_cast<Real>(control->dt * control->dt);
    return mass[face] * in.value[face] + dt2 * out[face] + force(in.companion, block, i);
  }
};

// M^-1 (r - B' y), once the solve for a pressure has left -y in `q`.
template <int D, class Real>
struct DeviatoricInverse {
  const Real *r, *q, *mass;
  PressureForce<D, Real> force;
  FIRN_HD Real operator()(std::uint32_t block, std::uint32_t i, std::uint64_t face) const {
    return (r[face] - force(q, block, i)) / mass[face];
  }
};

template <int D, class Real>
MinresView<DeviatoricSpace<D, Real>> minres_view(const DeviatoricProblem<Real>& p) {
  return {
      {p.mac, p.view.mass, p.view.pressure}, {&p.control->n_blocks, p.max_blocks}, p.view.minres};
}
template <int D, class Real>
DeviatoricProduct<D, Real> deviatoric_product(const DeviatoricProblem<Real>& p,
                                              KrylovVector<Real> in, const Real* out) {
  return {in, out, p.view.mass, {p.mac, power<D - 1>(p.grid.dx)}, p.control};
}
template <int D, class Real>
DeviatoricInverse<D, Real> deviatoric_inverse(const DeviatoricProblem<Real>& p, const Real* r,
                                              const Real* q) {
  return {r, q, p.view.mass, {p.mac, power<D - 1>(p.grid.dx)}};
}

}  // namespace firn

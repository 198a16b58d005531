// What flows and carries its volume ratio J sums it up over all steps. Under long shear the sum
// drifts away from how close particles come to lie, of which the pressure then knows nothing. So J
// is held against the density that the nodes have, in the measure in which the particle is sheared:
// what rests, turns, falls or is pressed together keeps its J to the last digit.
#pragma once

#include "kernels/fields/particles.h"
#include "kernels/materials/material.h"
#include "kernels/math/generic_scalar.h"

namespace firn {

// One particle, as a pack of one lane.
template <class Real>
struct OneLane {
  using Value = Real;
  std::uint32_t chunk, lane;
  FIRN_HD Real load(const Real* row) const { return row[lane]; }
  FIRN_HD void store(Real* row, Real value) const { row[lane] = value; }
  FIRN_HD bool active() const { return true; }
};

template <int D, class Real>
struct VolumeDrift {
  const MaterialParams<Real>* materials;
  const Chunk* chunks;
  const Real *mass_of, *volume_of;  // ParticleView's, as those below
  Real *displacement, *history;
  int history_values;
  Real inv_dx;

  FIRN_HD VolumeDrift(const MaterialParams<Real>* laws, const ParticleView<Real>& particles,
                      Real per_length)
      : materials(laws),
        chunks(particles.chunks),
        mass_of(particles.mass),
        volume_of(particles.volume),
        displacement(particles.displacement),
        history(particles.history),
        history_values(particles.history_values),
        inv_dx(per_length) {}

  // By a unit of shear, of what J is off. The middle of a film of 16 cells that has run down for
  // sixty times its depth lies 2 % lower with this, 15 % without; the pressures of single particles
  // differ as much. With 1 they would differ by twice as much.
  static constexpr Real kRate = Real(0.3);
  // Beside a node that holds less, as a share of a full cell, a particle lies at a surface or a
  // wall, beyond which there is nothing for nodes to have: J may then be too large, not too small.
  // The middle of that film lies 4 % lower with 0.5 here, and 2 % higher with 0.75, which leaves
  // out too many inside.
  static constexpr Real kFull = Real(0.65);

  // Before J is advanced by a step; for a span of time, s. `mass` is the interpolated mass of the
  // nodes, `least` the smallest of them, `rate` that of shear.
  template <class Lanes, class T>
  FIRN_HD void correct(const Lanes& lanes, const T& mass, const T& least, const T& rate,
                       Real span) const {
    const MaterialParams<Real>& params = materials[chunks[lanes.chunk].material];
    if (!flows_on(params.model)) return;
    const auto own = [&](const Real* rows) {
      return select(lanes.active(), lanes.load(channel_row(rows, lanes.chunk, 1, 0)), T(Real(1)));
    };
    Real cells = 1;  // in a unit of volume
    for (int a = 0; a < D; ++a) cells *= inv_dx;
    // Of a cell full of it at rest. Bodies and added particles may be denser than their material.
    const T inverse_mass = own(volume_of) * T(cells) / own(mass_of);
    const T share = mass * inverse_mass;
    const auto full = least * inverse_mass > T(kFull);
    const T flow = min(rate, T(fastest_flow(params)));
    const T part = select(lanes.active(), min(T(kRate * span) * flow, T(Real(1))), T(Real(0)));
    if (has_deformation(params.model)) {
      Mat<T, D> H;
      for (int i = 0; i < D * D; ++i) H(i / D, i % D) = lanes.load(row(lanes.chunk, i));
      const T J = T(Real(1)) + determinant_growth(H);
      const T ratio = select(lanes.active(), part * gap(share, full, J) / J, T(Real(0)));
      const T stretch = expm1(log1p(ratio) * T(Real(1) / D));
      for (int i = 0; i < D * D; ++i) {
        const T F = H(i / D, i % D) + T(Real(i % (D + 1) == 0 ? 1 : 0));
        lanes.store(row(lanes.chunk, i), H(i / D, i % D) + stretch * F);
      }
    } else {
      Real* kept = channel_row(history, lanes.chunk, history_values, 0);
      const T growth = lanes.load(kept);
      lanes.store(kept, growth + part * gap(share, full, T(Real(1)) + growth));
    }
  }

  // |dev sym grad v|, 1/s: it is shear that makes them drift.
  template <class T>
  FIRN_HD static T rate_of(const Mat<T, D>& grad_v) {
    const Mat<T, D> rates = symmetric_part(grad_v);
    const T mean = trace(rates) * T(Real(1) / D);
    T squared = T(Real(0));
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        const T rate = i == j ? rates(i, j) - mean : rates(i, j);
        squared = squared + rate * rate;
      }
    return sqrt(squared);
  }

 private:
  // From J to what the density says it is.
  template <class T, class Mask>
  FIRN_HD static T gap(const T& share, const Mask& full, const T& J) {
    const T gap = T(Real(1)) / max(share, T(kEpsilon<Real>)) - J;
    return select(full, gap, min(gap, T(Real(0))));
  }
  FIRN_HD Real* row(std::uint32_t chunk, int component) const {
    return channel_row(displacement, chunk, D * D, component);
  }
};

}  // namespace firn

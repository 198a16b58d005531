// What flows sums its volume ratio J up over all steps. Under long shear the sum drifts away from
// how close particles come to lie, of which the pressure then knows nothing: liquids sink together,
// and so does sand in a drum, while sand that flew apart bears its load before it has closed again.
// So J is held against the density that the nodes have, in the measure in which the particle is
// sheared: what rests, turns, falls or is pressed from all sides keeps its J to the last digit.
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
  // The same of sand, whose excess of volume is no tension but room to close. It lands within shear
  // of less than one: poured or thrown up, half of it lies at less than 0.89 to 0.93 of its density
  // with 2 here, 0.98 to 0.99 with 5.
  static constexpr Real kRateOfGrains = 5;
  // As sand may be loose inside as well, it is at a surface where a node holds less than this of
  // what the particle has about it. Blocks that fly apart gain 0.15 % of volume at their surfaces
  // with 0.65 here, 0.03 % with this.
  static constexpr Real kFullOfGrains = Real(0.75);

  // Before J is advanced by a step; for a span of time, s. `mass` is the interpolated mass of the
  // nodes, `least` the smallest of them, `rate` that of shear.
  template <class Lanes, class T>
  FIRN_HD void correct(const Lanes& lanes, const T& mass, const T& least, const T& rate,
                       Real span) const {
    const MaterialParams<Real>& params = materials[chunks[lanes.chunk].material];
    const bool grains = params.model == MaterialModel::kDruckerPrager;
    if (!flows_on(params.model) || (grains && !params.volume_correction)) return;
    const auto own = [&](const Real* rows) {
      return select(lanes.active(), lanes.load(channel_row(rows, lanes.chunk, 1, 0)), T(Real(1)));
    };
    Real cells = 1;  // in a unit of volume
    for (int a = 0; a < D; ++a) cells *= inv_dx;
    // Of a cell full of it at rest. Bodies and added particles may be denser than their material.
    const T inverse_mass = own(volume_of) * T(cells) / own(mass_of);
    const T share = mass * inverse_mass, emptiest = least * inverse_mass;
    const auto part_at = [&](Real per_shear) {
      return select(lanes.active(), min(T(per_shear * span) * rate, T(Real(1))), T(Real(0)));
    };
    if (grains)
      correct_grains(lanes, share, emptiest, part_at(kRateOfGrains));
    else
      correct_liquid(lanes, params.model, share, emptiest, part_at(kRate));
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
  template <class Lanes, class T>
  FIRN_HD void correct_liquid(const Lanes& lanes, MaterialModel model, const T& share,
                              const T& emptiest, const T& part) const {
    const auto full = emptiest > T(kFull);
    if (has_deformation(model)) {
      const Mat<T, D> H = displacement_of(lanes);
      const T J = T(Real(1)) + determinant_growth(H);
      stretch(lanes, H, log1p(select(lanes.active(), part * gap(share, full, J) / J, T(Real(0)))));
    } else {
      Real* kept = channel_row(history, lanes.chunk, history_values, 0);
      const T growth = lanes.load(kept);
      lanes.store(kept, growth + part * gap(share, full, T(Real(1)) + growth));
    }
  }

  // In logarithms: what is too thin opens, and what is too dense closes, then is pressed.
  template <class Lanes, class T>
  FIRN_HD void correct_grains(const Lanes& lanes, const T& share, const T& emptiest,
                              const T& part) const {
    const Mat<T, D> H = displacement_of(lanes);
    Real* kept = channel_row(history, lanes.chunk, history_values, 0);
    const T open = lanes.load(kept);
    const T log_J = log1p(select(lanes.active(), determinant_growth(H), T(Real(0)))) + open;
    const T gap = T(Real(0)) - log(max(share, T(kEpsilon<Real>))) - log_J;
    const T change = part * select(emptiest > T(kFullOfGrains) * share, gap, min(gap, T(Real(0))));
    const T opened = open + change;
    lanes.store(kept, min(max(opened, T(Real(0))), T(Real(DruckerPrager::kMostOpened))));
    stretch(lanes, H, select(lanes.active(), min(opened, T(Real(0))), T(Real(0))));
  }

  // F by as much as makes log J larger by that.
  template <class Lanes, class T>
  FIRN_HD void stretch(const Lanes& lanes, const Mat<T, D>& H, const T& growth) const {
    const T stretch = expm1(growth * T(Real(1) / D));
    for (int i = 0; i < D * D; ++i) {
      const T F = H(i / D, i % D) + T(Real(i % (D + 1) == 0 ? 1 : 0));
      lanes.store(row(lanes.chunk, i), H(i / D, i % D) + stretch * F);
    }
  }

  // From J to what the density says it is.
  template <class T, class Mask>
  FIRN_HD static T gap(const T& share, const Mask& full, const T& J) {
    const T gap = T(Real(1)) / max(share, T(kEpsilon<Real>)) - J;
    return select(full, gap, min(gap, T(Real(0))));
  }
  template <class Lanes>
  FIRN_HD auto displacement_of(const Lanes& lanes) const {
    Mat<decltype(lanes.load(row(0, 0))), D> H;
    for (int i = 0; i < D * D; ++i) H(i / D, i % D) = lanes.load(row(lanes.chunk, i));
    return H;
  }
  FIRN_HD Real* row(std::uint32_t chunk, int component) const {
    return channel_row(displacement, chunk, D * D, component);
  }
};

}  // namespace firn

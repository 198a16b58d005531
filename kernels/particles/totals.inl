#pragma once

#include "kernels/materials/material.h"
#include "kernels/particles/totals.h"
#include "kernels/transfer/spline.h"

namespace firn {

template <int D, class Real>
struct ParticleTotals {
  static constexpr const char* kName = "particle_totals";
  static constexpr int kThreads = 32;
  struct Scratch {
    double row[kLanes][kTotalsColumns];
  };
  TransferParams transfer;
  const MaterialModel* models;
  ParticleView<Real> particles;
  Real inv_dx;
  double* table;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t chunk = control->first_chunk + g.index();
    const std::uint32_t count = particles.chunks[chunk].count;
    g.for_each(kLanes, [&](std::uint32_t lane) {
      double* row = g.scratch.row[lane];
      for (int k = 0; k < kTotalsColumns; ++k) row[k] = 0;
      if (lane < count) measure(chunk, lane, row);
    });
    g.sync();
    g.for_each(kTotalsColumns, [&](std::uint32_t k) {
      double sum = 0;
      for (int lane = 0; lane < kLanes; ++lane) sum += g.scratch.row[lane][k];
      table[static_cast<std::uint64_t>(g.index()) * kTotalsColumns + k] = sum;
    });
  }

  // Per axis sum_i w s(z)^2 of the modes 1, z, g: the norms that make the modes' kinetic energy.
  // [PolyPIC table 2]
  template <int Degree>
  FIRN_HD static void mode_norms(Real x, Real inv_dx, Real shift, double (&norm)[3]) {
    // Without a node as an integer: a state that was damaged may have particles where none fits.
    const Real offset = axis_place(x, inv_dx, shift).offset;
    AxisStencil<Degree, Real> s;
    fill_stencil(s, offset);
    norm[0] = 1;
    norm[1] = second_moment<Degree>(offset);
    norm[2] = 0;
    for (int i = 0; i <= Degree; ++i) norm[2] += static_cast<double>(s.w[i] * s.g[i] * s.g[i]);
  }
  FIRN_HD void norms_of(Real x, Real shift, double (&norm)[3]) const {
    if (transfer.degree == 1) mode_norms<1>(x, inv_dx, shift, norm);
    if (transfer.degree == 2) mode_norms<2>(x, inv_dx, shift, norm);
    if (transfer.degree == 3) mode_norms<3>(x, inv_dx, shift, norm);
  }
  // The norms along every axis, for the velocity component along it and for the others: on
  // staggered grids these lie half a cell apart.
  struct Norms {
    double own[D][3], other[D][3];
  };

  FIRN_HD void measure(std::uint32_t chunk, std::uint32_t lane, double* row) const {
    double x[3] = {0, 0, 0}, v[3] = {0, 0, 0}, speed_squared = 0;
    Norms norms;
    const double m = channel_row(particles.mass, chunk, 1, 0)[lane];
    for (int a = 0; a < D; ++a) {
      const Real position = channel_row(particles.x, chunk, D, a)[lane];
      x[a] = position;
      v[a] = channel_row(particles.v, chunk, D, a)[lane];
      speed_squared += v[a] * v[a];
      const Real shift = stencil_shift<Real>(transfer.degree);
      norms_of(position, shift, norms.own[a]);
      norms_of(position, home_shift<Real>(transfer), norms.other[a]);
    }
    row[kTotalMass] = m;
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      row[kTotalMomentum + a] = m * v[a];
      row[kTotalMoment + a] = m * x[a];
      row[kTotalAngular + a] = m * (x[b] * v[c] - x[c] * v[b]);
    }
    row[kTotalKinetic] = 0.5 * m * speed_squared;
    if (models != nullptr) row[kTotalVolume] = volume(chunk, lane);
    if (particles.coefficient_modes > 0) add_modes(chunk, lane, m, norms, row);
  }

  FIRN_HD double volume(std::uint32_t chunk, std::uint32_t lane) const {
    Mat<double, D> F = Mat<double, D>::identity();
    for (int k = 0; k < D * D && particles.displacement != nullptr; ++k)
      F(k / D, k % D) +=
          static_cast<double>(channel_row(particles.displacement, chunk, D * D, k)[lane]);
    double history[history_capacity<D>()] = {};
    for (int k = 0; k < history_capacity<D>(); ++k)
      if (k < particles.history_values)
        history[k] = static_cast<double>(
            channel_row(particles.history, chunk, particles.history_values, k)[lane]);
    return static_cast<double>(channel_row(particles.volume, chunk, 1, 0)[lane]) *
           volume_ratio(models[particles.chunks[chunk].material], F, history);
  }

  // Energy 1/2 m |c_r|^2 sum w s_r^2 and spin m (B^T : eps) of the modes beyond the first, B = C D.
  FIRN_HD void add_modes(std::uint32_t chunk, std::uint32_t lane, double m, const Norms& norms,
                         double* row) const {
    const int modes = particles.coefficient_modes;
    const double dx = 1 / static_cast<double>(inv_dx);
    for (int r = 1; r <= modes; ++r) {
      double c[D];
      for (int a = 0; a < D; ++a) {
        c[a] = channel_row(particles.coefficients, chunk, modes * D, (r - 1) * D + a)[lane];
        double mode_norm = 1;
        for (int b = 0; b < D; ++b)
          mode_norm *= (b == a ? norms.own : norms.other)[b][mode_power(transfer.set, D, r, b)];
        row[kTotalKinetic] += 0.5 * m * c[a] * c[a] * mode_norm;
      }
      for (int a = 0; a < D; ++a)
        if (r == linear_mode(transfer.set, D, a))
          for (int b = 0; b < D; ++b) {
            if (b == a) continue;
            const int axis = 3 - a - b;
            const double sign = (b - a + 3) % 3 == 1 ? 1 : -1;  // eps_{axis a b}
            row[kTotalAngular + axis] += sign * m * c[b] * norms.other[a][1] * dx;
          }
    }
  }
};

template <class Exec, int D, class Real>
void particle_totals(Exec& exec, const TransferParams& transfer, const MaterialModel* models,
                     const ParticleView<Real>& particles, Real inv_dx, std::uint32_t max_chunks,
                     double* table, const StepControl* control) {
  launch_groups(exec, {{&control->n_chunks, max_chunks}, nullptr},
                ParticleTotals<D, Real>{transfer, models, particles, inv_dx, table, control});
}

}  // namespace firn

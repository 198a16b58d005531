#pragma once

#include "kernels/materials/constitutive.inl"
#include "kernels/math/generic_scalar.h"
#include "kernels/stress/volumetric.h"
#include "kernels/transfer/cell_transfer.h"

namespace firn {

template <class Real>
FIRN_HD inline Real compressibility(const HeatView<Real>& heat, const ParticleView<Real>& particles,
                                    std::uint32_t chunk, std::uint32_t lane) {
  const ThermalMaterial<Real>& m = heat.materials[particles.chunks[chunk].material];
  return compressibility_of(m, melting_point(m, channel_row(particles.id, chunk, 1, 0)[lane]),
                            load_heat(heat, chunk, lane));
}

template <int D, class Real>
struct VolumeOfParticle {
  HeatView<Real> heat;
  FIRN_HD Node<Real> operator()(const ParticleView<Real>& particles, std::uint32_t chunk,
                                std::uint32_t lane) const {
    const Real V = channel_row(particles.volume, chunk, 1, 0)[lane];
    const Real log_J = channel_row(heat.state, chunk, kHeatComponents, kHeatLogVolume)[lane];
    return Node<Real>::make(V, V * log_J, V * compressibility(heat, particles, chunk, lane),
                            load_heat(heat, chunk, lane).liquid ? Real(0) : V);
  }
};

template <class Exec, int D, class Real>
void volume_p2g(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                const HeatView<Real>& heat, std::uint32_t max_blocks, const StepControl* control) {
  launch_coloured(exec, {{nullptr, max_blocks}, &control->stop}, grid.colour_begin,
                  BlockTraits<D>::kCorners,
                  CellP2G<D, kVolumeKernel, VolumeOfParticle<D, Real>, Real>{
                      {heat}, particles, grid, heat.volume_sums});
}

template <int D, class Real>
struct SettleVolume {
  static constexpr const char* kName = "settle_volume";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  HeatView<Real> heat;
  bool filled;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const std::uint64_t i = cell_index({g.index(), cell});
      const Node<Real> sums = heat.volume_sums[i];
      const Real V = sums[kVolumeSum];
      heat.elastic_fraction[i] = V > Real(0) ? min(sums[kVolumeElastic] / V, Real(1)) : Real(0);
      if (filled && V > Real(0)) mac.filled[i] *= exp(sums[kVolumeLogRatio] / V);
    });
  }
};

template <class Exec, int D, class Real>
void settle_volume(Exec& exec, bool filled, const MacView<Real>& mac, const HeatView<Real>& heat,
                   std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                SettleVolume<D, Real>{mac, heat, filled});
}

template <int D, class Real>
struct CompressCells {
  static constexpr const char* kName = "compress_cells";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  const Node<Real>* volume_sums;
  Real* compressibility;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real per_dt = 1 / static_cast<Real>(control->dt);
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress at{g.index(), cell};
      const std::uint64_t i = cell_index(at);
      compressibility[i] = Real(0);
      const Real V = volume_sums[i][kVolumeSum];
      if (!is_fluid(mac, at) || !(V > Real(0))) return;
      compressibility[i] = volume_sums[i][kVolumeCompressibility] / V * per_dt * per_dt;
      mac.rhs[i] -= volume_sums[i][kVolumeLogRatio] / V * per_dt;
    });
  }
};

template <class Exec, int D, class Real>
void compress_cells(Exec& exec, const MacView<Real>& mac, const HeatView<Real>& heat,
                    std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                CompressCells<D, Real>{mac, heat.volume_sums, heat.compressibility, control});
}

template <int D, class Real>
struct PressureChange {
  static constexpr const char* kName = "pressure_change";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  Node<Real>* volume_sums;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      const CellAddress at{g.index(), cell};
      Node<Real>& sums = volume_sums[cell_index(at)];
      const Real compressibility = sums[kVolumeCompressibility];
      const bool counts = is_fluid(mac, at) && compressibility > Real(0);
      Real change = Real(0);
      if (counts)
        change = mac.pressure[cell_index(at)] / static_cast<Real>(control->dt) +
                 sums[kVolumeLogRatio] / compressibility;
      sums = Node<Real>::make(counts ? Real(1) : Real(0), change, Real(0), Real(0));
    });
  }
};

template <int D, class Real>
struct VolumeG2P : CellG2P<D, kVolumeKernel, Real> {
  static constexpr const char* kName = "volume_g2p";
  static constexpr int kThreads = 128;
  using Base = CellG2P<D, kVolumeKernel, Real>;
  using Base::particles;
  struct Scratch {
    typename Base::Tile counts, change;
  };
  HeatView<Real> heat;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    Base::gather(
        g,
        [&](std::uint32_t t, std::uint64_t cell) {
          g.scratch.counts.node[t] = heat.volume_sums[cell][kVolumeCounts];
          g.scratch.change.node[t] = heat.volume_sums[cell][kVolumePressureChange];
        },
        [&](const Vec<int, D>& home, std::uint32_t chunk, std::uint32_t lane) {
          advance(g, home, chunk, lane);
        });
  }

  template <class Group>
  FIRN_HD void advance(Group& g, const Vec<int, D>& home, std::uint32_t chunk,
                       std::uint32_t lane) const {
    const Real own = compressibility(heat, particles, chunk, lane);
    if (!(own > Real(0))) return;
    const auto near = Base::cells_near(home, chunk, lane);
    const Real share = near.mean(g.scratch.counts);
    if (share > Real(0))
      channel_row(heat.state, chunk, kHeatComponents, kHeatLogVolume)[lane] -=
          own * near.mean(g.scratch.change) / share;
  }
};

template <class Exec, int D, class Real>
void volume_g2p(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                const MacView<Real>& mac, const HeatView<Real>& heat, std::uint32_t max_blocks,
                const StepControl* control) {
  const LaunchRange range{{&control->n_blocks, max_blocks}, &control->stop};
  launch_groups(exec, range, PressureChange<D, Real>{mac, heat.volume_sums, control});
  launch_groups(exec, range, VolumeG2P<D, Real>{{particles, grid}, heat});
}

// Young's modulus of a pack's particles over that of their material at rest.
template <class Real, class Lanes>
FIRN_HD inline auto stiffness_of(const HeatView<Real>& heat, const ParticleView<Real>& particles,
                                 const Lanes& lanes, const ThermalMaterial<Real>& m) {
  using T = typename Lanes::Value;
  typename Lanes::template Table<1> table;
  table.set(0, T(Real(1)));
  lanes.for_each_lane([&](int i, std::uint32_t lane) {
    const HeatState<Real> state = load_heat(heat, lanes.chunk, lane);
    const Real melting = melting_point(m, channel_row(particles.id, lanes.chunk, 1, 0)[lane]);
    table.at(0, i) = stiffness_at(m, temperature_of(m, melting, state.enthalpy));
  });
  return table.get(0);
}

template <int D, class Real>
struct DeformParticles {
  static constexpr const char* kName = "deform_particles";
  static constexpr int kThreads = 128;
  static constexpr std::uint32_t kChunksPerGroup = 4;
  struct Scratch {};
  ConstitutiveUpdate<D, Real> update;
  HeatView<Real> heat;
  bool implicit;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    for_each_pack_of<Real>(g, update.particles.chunks, *update.control, kChunksPerGroup,
                           [&](const auto& lanes) { advance(g, lanes); });
  }

  template <class Group, class Lanes>
  FIRN_HD void advance(Group& g, const Lanes& lanes) const {
    using T = typename Lanes::Value;
    const ParticleView<Real>& particles = update.particles;
    const std::uint32_t index = particles.chunks[lanes.chunk].material;
    const MaterialParams<Real>& params = update.materials[index];
    const ThermalMaterial<Real>& thermal = heat.materials[index];
    const Mat<T, D> grad_v = load_matrix<D>(lanes, particles.gradient);
    const auto liquid =
        lanes.load(channel_row(heat.state, lanes.chunk, kHeatComponents, 1)) > T(Real(0.5));

    MaterialState<T, D> state = update.load_state(lanes, params);
    state.F = update.update_matrix(grad_v) * state.F;
    set_volume(lanes, state.F);
    if (any(liquid)) forget_shape(liquid, state.F);
    if (thermal.yields && !all(liquid)) yield(thermal, liquid, state.F);
    Response<T, D> response = CorotatedDeviatoric::respond(params, state.F);
    const T compressibility =
        select(liquid, T(Real(0)), stiffness_of(heat, particles, lanes, thermal));
    response.tau = response.tau * compressibility;
    response.wave_modulus = response.wave_modulus * compressibility;
    if (!implicit && params.viscosity > Real(0))
      update.add_viscosity(params, state, grad_v, response.tau);

    update.report_faults(g, lanes, params, state, response);
    update.store_state(lanes, params, state);
    const auto active = lanes.active();
    if (!implicit) {
      const Real wave = lanes.maximum(select(active, response.wave_modulus, T(Real(0))));
      lanes.once([&] {
        g.atomic_max(update.control->wave_squared[index],
                     static_cast<double>(wave / params.density));
      });
    }
    const T volume = lanes.load(channel_row(particles.volume, lanes.chunk, 1, 0));
    update.store_stress(lanes, response.tau * volume);
  }

  // F times what makes its determinant the particle's J.
  template <class Lanes, class T>
  FIRN_HD void set_volume(const Lanes& lanes, Mat<T, D>& F) const {
    const Real* row = channel_row(heat.state, lanes.chunk, kHeatComponents, kHeatLogVolume);
    const T log_J = select(lanes.active(), lanes.load(row), T(Real(0)));
    F = F *
        (CorotatedDeviatoric::unimodular_scale<T, D>(determinant(F)) * exp(log_J * T(Real(1) / D)));
  }
  // F <- J^(1/d) I.
  template <class Mask, class T>
  FIRN_HD static void forget_shape(const Mask& liquid, Mat<T, D>& F) {
    const T root = T(Real(1)) / CorotatedDeviatoric::unimodular_scale<T, D>(determinant(F));
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) F(i, j) = select(liquid, i == j ? root : T(Real(0)), F(i, j));
  }

  // Stretches go back into their interval; then all of them by the same factor, so that J stays.
  template <class Mask, class T>
  FIRN_HD static void yield(const ThermalMaterial<Real>& m, const Mask& liquid, Mat<T, D>& F) {
    const Svd<T, D> s = svd(F);
    Vec<T, D> clamped;
    T ratio = T(Real(1));
    auto flows = T(Real(0)) > T(Real(1));  // no lane
    for (int i = 0; i < D; ++i) {
      clamped[i] = clamp(s.sigma[i], T(m.min_stretch), T(m.max_stretch));
      flows = flows || clamped[i] != s.sigma[i];
      ratio = ratio * (s.sigma[i] / clamped[i]);
    }
    flows = flows && !liquid;
    if (!any(flows)) return;
    const T scale = T(Real(1)) / CorotatedDeviatoric::unimodular_scale<T, D>(ratio);
    const Mat<T, D> returned = compose(s.U, clamped, s.V) * scale;
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) F(i, j) = select(flows, returned(i, j), F(i, j));
  }
};

template <class Exec, int D, class Real>
void deform_particles(Exec& exec, const MaterialParams<Real>* materials,
                      const ParticleView<Real>& particles, const HeatView<Real>& heat,
                      bool implicit, std::uint32_t max_chunks, StepControl* control) {
  using Op = DeformParticles<D, Real>;
  launch_groups(
      exec,
      {{nullptr, (max_chunks + Op::kChunksPerGroup - 1) / Op::kChunksPerGroup}, &control->stop},
      Op{{materials, particles, EnergyView{}, control}, heat, implicit});
}

}  // namespace firn

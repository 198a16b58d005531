#pragma once

#include "kernels/mac/boundaries.inl"
#include "kernels/mac/extrapolation.h"
#include "kernels/solve/minres.inl"
#include "kernels/stress/deviatoric_particles.inl"
#include "kernels/stress/deviatoric_pressure.inl"
#include "kernels/stress/deviatoric_system.h"
#include "kernels/transfer/mac.h"

namespace firn {

// Of faces that do not follow others, the velocity that E takes.
template <class Real>
FIRN_HD inline Real strained_velocity(const MacView<Real>& mac, std::uint32_t block,
                                      std::uint64_t face, bool own) {
  const Node<Real>& at = mac.faces[face];
  if (own || mac.area[face] == Real(0)) return at[kFaceVelocity];
  return clings(mac, block, face) ? at[kFaceBoundaryVelocity] : Real(0);
}

// Which faces are solved, and their mass. Closed ones move with their solid: those that a sticky
// one holds within itself, too, whose velocities are strain for what lies at its surface.
template <int D, class Real>
struct SetOut {
  static constexpr const char* kName = "set_out";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  DeviatoricView<Real> view;
  Real cell_volume;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* own = view.layers.mask(0) + face_word<D>(g.index(), 0);
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      Node<Real>& at = mac.faces[face];
      if (mac.area[face] == Real(0)) at.set(kFaceVelocity, at[kFaceBoundaryVelocity]);
      const bool keeps = test_bit(own, i);
      view.mass[face] = keeps ? mass_of(face) : Real(0);
      view.minres.in.value[face] = strained_velocity(mac, g.index(), face, keeps);
    });
    g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
      view.pressure[cell_index({g.index(), cell})] = Real(0);
    });
  }
  FIRN_HD Real mass_of(std::uint64_t face) const {
    const Real w = specific_volume(mac, mac.faces[face]);
    return w > Real(0) ? mac.area[face] * cell_volume / w : Real(0);
  }
};

// The first residual. Partials, second column: the norm of the velocities, whose rounding is as
// much.
template <int D, class Real>
struct FirstResidual {
  static constexpr const char* kName = "first_residual";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  DeviatoricView<Real> view;
  std::uint32_t max_blocks;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const MinresVectors<Real>& m = view.minres;
    const Real dt2 = static_cast<Real>(control->dt * control->dt);
    const auto size = [&](std::uint64_t face, std::uint32_t) {
      const Real mass = view.mass[face];
      m.r2[face] = mass > Real(0) ? -dt2 * m.out.value[face] : Real(0);
      const double v = static_cast<double>(m.in.value[face]);
      return static_cast<double>(mass) * v * v;
    };
    store_value_sum<DeviatoricSpace<D, Real>>(g, g.scratch, size,
                                              m.partials + max_blocks + g.index());
  }
};

// --- the solve ---

template <class Real>
LaunchRange deviatoric_blocks(const DeviatoricProblem<Real>& p) {
  return {{&p.control->n_blocks, p.max_blocks}, &p.view.minres.control->done};
}

template <class Exec, int D, class Real>
void apply_over(Exec& exec, const DeviatoricProblem<Real>& p, Real* in, Real* out, Real walls,
                const LaunchRange& blocks) {
  extrapolate_channel<Exec, D, Real>(exec, p.view.layers, p.mac, in, walls, blocks);
  const auto apply = [&](auto n, const auto& stiffness) {
    using Stiffness = std::remove_cvref_t<decltype(stiffness)>;
    launch_coloured(exec, {{nullptr, p.max_blocks}, blocks.stop}, p.grid.colour_begin,
                    BlockTraits<D>::kCorners,
                    ApplyDeviatoric<D, decltype(n)::value, Real, Stiffness>{
                        p.particles, p.grid, stiffness, p.control, in, out});
  };
  const auto apply_all = [&](const auto& stiffness) {
    if (p.degree == 2) apply(std::integral_constant<int, 2>{}, stiffness);
    if (p.degree == 3) apply(std::integral_constant<int, 3>{}, stiffness);
  };
  if (p.liquid) {
    const LiquidStiffness<D, Real> viscosity{p.view.stretch};
    if (p.degree == 1) apply(std::integral_constant<int, 1>{}, viscosity);
    apply_all(viscosity);
  } else {
    apply_all(StretchedStiffness<D, Real>{p.view.stretch});
  }
  transpose_channel<Exec, D, Real>(exec, p.view.layers, p.mac, out, blocks);
}
template <class Exec, int D, class Real>
void apply_deviatoric(Exec& exec, const DeviatoricProblem<Real>& p, Real* in, Real* out) {
  apply_over<Exec, D, Real>(exec, p, in, out, Real(0), deviatoric_blocks(p));
}

template <class Exec, int D, class Real>
void begin_deviatoric(Exec& exec, const DeviatoricProblem<Real>& p, const SolveOptions& options) {
  const LaunchRange blocks = deviatoric_blocks(p);
  const MinresVectors<Real>& v = p.view.minres;
  begin_minres(exec, minres_view<D>(p), options, &p.control->stop);
  launch_groups(exec, blocks, SetOut<D, Real>{p.mac, p.view, power<D>(p.grid.dx)});
  apply_over<Exec, D, Real>(exec, p, v.in.value, v.out.value, Real(1), blocks);
  launch_groups(exec, blocks, FirstResidual<D, Real>{p.view, p.max_blocks, p.control});
}

// All velocities that a solve has left, -H of which are the forces.
template <int D, class Real>
struct TakeMotion {
  static constexpr const char* kName = "take_motion";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  DeviatoricView<Real> view;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* own = view.layers.mask(0) + face_word<D>(g.index(), 0);
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      view.minres.in.value[face] = -strained_velocity(mac, g.index(), face, test_bit(own, i));
      view.minres.out.value[face] = Real(0);
    });
  }
};

template <class Exec, int D, class Real>
void deviatoric_reactions(Exec& exec, const DeviatoricProblem<Real>& p,
                          const GridUpdateParams<Real, D>& params) {
  const LaunchRange blocks{{&p.control->n_blocks, p.max_blocks}, &p.control->stop};
  const MinresVectors<Real>& v = p.view.minres;
  launch_groups(exec, blocks, TakeMotion<D, Real>{p.mac, p.view});
  apply_over<Exec, D, Real>(exec, p, v.in.value, v.out.value, Real(-1), blocks);
  launch_groups(
      exec, blocks,
      StressReactions<D, Real>{{{params, p.grid}, p.mac}, nullptr, v.out.value, p.control});
}

template <class Exec, int D, class Real>
void project_residual(Exec& exec, const DeviatoricProblem<Real>& p, const Real* r) {
  launch_groups(exec, deviatoric_blocks(p),
                DeviatoricOutflow<D, Real>{p.grid, p.mac, p.view.mass, r});
}

template <class Exec, int D, class Real>
void end_deviatoric(Exec& exec, const DeviatoricProblem<Real>& p) {
  MacView<Real> grown = p.mac;
  grown.pressure = p.view.pressure;
  launch_groups(exec, {{&p.control->n_blocks, p.max_blocks}, &p.control->stop},
                EndDeviatoric<D, Real>{p.grid, grown, p.view, p.mac.pressure});
}

}  // namespace firn

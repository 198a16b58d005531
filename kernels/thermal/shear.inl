#pragma once

#include "kernels/fluid/block_sum.h"
#include "kernels/fluid/fold.h"
#include "kernels/fluid/reduce_blocks.h"
#include "kernels/thermal/shear_particles.inl"
#include "kernels/transfer/mac.h"

namespace firn {

template <int D, class Real>
struct KeepMasses {
  static constexpr const char* kName = "keep_masses";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  ShearView<Real> shear;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      shear.mass[face] = mac.faces[face][kFaceMass];
    });
  }
};

template <class Exec, int D, class Real>
void keep_masses(Exec& exec, const MacView<Real>& mac, const ShearView<Real>& shear,
                 std::uint32_t max_blocks, const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                KeepMasses<D, Real>{mac, shear});
}

struct StartShear {
  static constexpr const char* kName = "start_shear";
  SolveOptions options;
  const std::uint32_t* stop;
  ShearControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    ShearControl c;
    c.done = c.stopped = *stop != 0 ? 1 : 0;
    c.max_iterations = options.max_iterations;
    c.tolerance = options.relative;
    *control = c;
  }
};

// Closed faces that no material leaves move with their solid.
template <int D, class Real>
struct SetOut {
  static constexpr const char* kName = "set_out";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  ShearView<Real> shear;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* own = shear.layers.mask(0) + face_word<D>(g.index(), 0);
    const std::uint32_t* opened = mac.opened + face_word<D>(g.index(), 0);
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      const bool held = mac.area[face] == Real(0) && !test_bit(opened, i);
      if (held) mac.faces[face].set(kFaceVelocity, mac.faces[face][kFaceSolidVelocity]);
      if (held) shear.mass[face] = Real(0);
      shear.in[face] = test_bit(own, i) ? mac.faces[face][kFaceVelocity] : Real(0);
      shear.out[face] = shear.diagonal[face] = Real(0);
      shear.r1[face] = shear.w1[face] = shear.w2[face] = Real(0);
    });
  }
};

// Sums of a term of the faces of a block, which the caller has put in place cell by cell.
template <int D, class Group, class Term>
FIRN_HD inline void store_face_sum(Group& g, BlockSums& sums, Term&& term, double* out) {
  g.for_each(BlockTraits<D>::kNodes, [&](std::uint32_t cell) {
    double sum = 0;
    for (int a = 0; a < D; ++a) sum += term(face_index<D>(g.index(), a, cell));
    sums.term[cell] = sum;
  });
  for (std::uint32_t n = 32; n > 0; n /= 2) {
    g.sync();
    g.for_each(n, [&](std::uint32_t i) { sums.term[i] += sums.term[i + n]; });
  }
  g.sync();
  g.once([&] { *out = sums.term[0]; });
}

// The first residual. Partials: its norm, and that of the velocities, whose rounding is as much.
template <int D, class Real>
struct FirstResidual {
  static constexpr const char* kName = "first_residual";
  static constexpr int kThreads = 64;
  struct Scratch {
    BlockSums norm, size;
  };
  ShearView<Real> shear;
  std::uint32_t max_blocks;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t* own = shear.layers.mask(0) + face_word<D>(g.index(), 0);
    const Real dt2 = static_cast<Real>(control->dt * control->dt);
    const std::uint64_t first = face_index<D>(g.index(), 0, 0);
    const auto residual = [&](std::uint64_t face) {
      const bool solved =
          test_bit(own, static_cast<std::uint32_t>(face - first)) && shear.mass[face] > Real(0);
      const Real diagonal = solved ? shear.mass[face] + dt2 * shear.diagonal[face] : Real(0);
      shear.diagonal[face] = diagonal;
      shear.r2[face] = solved ? -dt2 * shear.out[face] : Real(0);
      return solved ? square(shear.r2[face]) / static_cast<double>(diagonal) : 0;
    };
    store_face_sum<D>(g, g.scratch.norm, residual, shear.partials + g.index());
    const auto size = [&](std::uint64_t face) {
      return static_cast<double>(shear.diagonal[face]) * square(shear.in[face]);
    };
    store_face_sum<D>(g, g.scratch.size, size, shear.partials + max_blocks + g.index());
  }
  FIRN_HD static double square(Real v) { return static_cast<double>(v) * static_cast<double>(v); }
};

struct FinishFirst {
  static constexpr const char* kName = "finish_first";
  static constexpr int kColumns = 2;
  static constexpr bool kMaximum = false;
  double epsilon;
  FIRN_HD void operator()(ShearControl& c, const double* v) const {
    c.beta = c.initial = c.residual = c.phibar = sqrt(v[0]);
    const double rounding = 4 * epsilon * sqrt(v[1]);
    c.tolerance = c.tolerance * c.initial > rounding ? c.tolerance * c.initial : rounding;
    if (!(v[0] <= kLargest<double>)) c.failed = c.done = 1;
    if (c.initial <= c.tolerance) c.done = 1;
  }
};

// Ends the iteration before: x += phi w. Begins the next: in = v = r2 / (diagonal beta).
template <int D, class Real>
struct NextDirection {
  static constexpr const char* kName = "next_direction";
  static constexpr int kThreads = 64;
  struct Scratch {};
  MacView<Real> mac;
  ShearView<Real> shear;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const ShearControl c = *shear.control;
    const Real epsilon = static_cast<Real>(c.previous_epsilon), delta = static_cast<Real>(c.delta),
               inverse_gamma = static_cast<Real>(1 / c.gamma), phi = static_cast<Real>(c.phi),
               inverse_beta = static_cast<Real>(c.beta > 0 ? 1 / c.beta : 0);
    g.for_each(D * BlockTraits<D>::kNodes, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(g.index(), 0, i);
      shear.out[face] = Real(0);
      const Real diagonal = shear.diagonal[face];
      if (!(diagonal > Real(0))) return shear.in[face] = Real(0), void();
      if (c.iterations > 0) {
        const Real w =
            (shear.in[face] - epsilon * shear.w1[face] - delta * shear.w2[face]) * inverse_gamma;
        shear.w1[face] = shear.w2[face];
        shear.w2[face] = w;
        mac.faces[face].set(kFaceVelocity, mac.faces[face][kFaceVelocity] + phi * w);
      }
      shear.in[face] = shear.r2[face] / diagonal * inverse_beta;
    });
  }
};

struct CloseShear {
  static constexpr const char* kName = "close_shear";
  ShearControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    ShearControl& c = *control;
    if (c.iterations == 0) return;
    if (c.residual <= c.tolerance) c.done = 1;
    if (c.done == 0 && c.iterations >= c.max_iterations) c.failed = c.done = 1;
  }
};

// out = A v - (beta / previous beta) r1. Partials: <v, out>.
template <int D, class Real>
struct ShearProduct {
  static constexpr const char* kName = "shear_product";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  ShearView<Real> shear;
  const StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const ShearControl& c = *shear.control;
    const Real dt2 = static_cast<Real>(control->dt * control->dt);
    const Real ratio = static_cast<Real>(c.iterations > 0 ? c.beta / c.previous_beta : 0);
    const auto product = [&](std::uint64_t face) {
      if (!(shear.diagonal[face] > Real(0))) return 0.0;
      const Real y =
          shear.mass[face] * shear.in[face] + dt2 * shear.out[face] - ratio * shear.r1[face];
      shear.out[face] = y;
      return static_cast<double>(y) * static_cast<double>(shear.in[face]);
    };
    store_face_sum<D>(g, g.scratch, product, shear.partials + g.index());
  }
};

struct FinishAlpha {
  static constexpr const char* kName = "finish_alpha";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(ShearControl& c, const double* v) const { c.alpha = v[0]; }
};

// The Lanczos vectors move on. Partials: <r2, r2 / diagonal>.
template <int D, class Real>
struct NextResidual {
  static constexpr const char* kName = "next_residual";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  ShearView<Real> shear;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Real ratio = static_cast<Real>(shear.control->alpha / shear.control->beta);
    const auto norm = [&](std::uint64_t face) {
      if (!(shear.diagonal[face] > Real(0))) return 0.0;
      const Real y = shear.out[face] - ratio * shear.r2[face];
      shear.r1[face] = shear.r2[face];
      shear.r2[face] = y;
      return static_cast<double>(y) * static_cast<double>(y / shear.diagonal[face]);
    };
    store_face_sum<D>(g, g.scratch, norm, shear.partials + g.index());
  }
};

// The plane rotations that keep the residual least.
struct FinishRotation {
  static constexpr const char* kName = "finish_rotation";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = false;
  FIRN_HD void operator()(ShearControl& c, const double* v) const {
    c.previous_beta = c.beta;
    c.beta = sqrt(v[0]);
    c.previous_epsilon = c.epsilon;
    c.delta = c.cs * c.dbar + c.sn * c.alpha;
    const double gbar = c.sn * c.dbar - c.cs * c.alpha;
    c.epsilon = c.sn * c.beta;
    c.dbar = -c.cs * c.beta;
    c.gamma = sqrt(gbar * gbar + c.beta * c.beta);
    ++c.iterations;
    if (!(c.gamma > 0) || !(c.gamma <= kLargest<double>)) {
      c.failed = c.done = 1;
      return;
    }
    c.cs = gbar / c.gamma;
    c.sn = c.beta / c.gamma;
    c.phi = c.cs * c.phibar;
    c.phibar = c.sn * c.phibar;
    c.residual = c.phibar;
  }
};

// --- the solve ---

template <class Exec, int D, class Real>
void apply_shear(Exec& exec, int degree, const ParticleView<Real>& particles,
                 const GridView<Real>& grid, const MacView<Real>& mac, const ShearView<Real>& shear,
                 std::uint32_t max_blocks, const StepControl* control) {
  const LaunchRange blocks{{&control->n_blocks, max_blocks}, &shear.control->done};
  extend_channel<Exec, D, Real>(exec, shear.layers, mac, shear.in, blocks);
  const auto apply = [&](auto n) {
    launch_coloured(exec, {{nullptr, max_blocks}, blocks.stop}, grid.colour_begin,
                    BlockTraits<D>::kCorners,
                    ApplyShear<D, decltype(n)::value, Real>{{particles, grid, shear, control}});
  };
  if (degree == 2) apply(std::integral_constant<int, 2>{});
  if (degree == 3) apply(std::integral_constant<int, 3>{});
  fold_channel<Exec, D, Real>(exec, shear.layers, mac, shear.out, blocks);
}

template <class Exec, int D, class Real>
void begin_shear(Exec& exec, int degree, const SolveOptions& options,
                 const ParticleView<Real>& particles, const GridView<Real>& grid,
                 const MacView<Real>& mac, const ShearView<Real>& shear, std::uint32_t max_blocks,
                 const StepControl* control) {
  const LaunchRange blocks{{&control->n_blocks, max_blocks}, &shear.control->done};
  launch_items(exec, {{nullptr, 1}, nullptr}, StartShear{options, &control->stop, shear.control});
  launch_groups(exec, blocks, SetOut<D, Real>{mac, shear});
  const auto diagonal = [&](auto n) {
    launch_coloured(exec, {{nullptr, max_blocks}, blocks.stop}, grid.colour_begin,
                    BlockTraits<D>::kCorners,
                    ShearDiagonal<D, decltype(n)::value, Real>{{particles, grid, shear, control}});
  };
  if (degree == 2) diagonal(std::integral_constant<int, 2>{});
  if (degree == 3) diagonal(std::integral_constant<int, 3>{});
  fold_diagonal<Exec, D, Real>(exec, shear.layers, mac, shear.diagonal, blocks);
  apply_shear<Exec, D, Real>(exec, degree, particles, grid, mac, shear, max_blocks, control);
  launch_groups(exec, blocks, FirstResidual<D, Real>{shear, max_blocks, control});
  reduce_blocks(exec, FinishFirst{kEpsilon<Real>}, shear.partials, max_blocks, max_blocks,
                shear.control, blocks.stop);
}

template <class Exec, int D, class Real>
void iterate_shear(Exec& exec, int degree, const ParticleView<Real>& particles,
                   const GridView<Real>& grid, const MacView<Real>& mac,
                   const ShearView<Real>& shear, std::uint32_t max_blocks,
                   const StepControl* control) {
  const LaunchRange blocks{{&control->n_blocks, max_blocks}, &shear.control->done};
  launch_groups(exec, blocks, NextDirection<D, Real>{mac, shear});
  launch_items(exec, {{nullptr, 1}, blocks.stop}, CloseShear{shear.control});
  apply_shear<Exec, D, Real>(exec, degree, particles, grid, mac, shear, max_blocks, control);
  launch_groups(exec, blocks, ShearProduct<D, Real>{shear, control});
  reduce_blocks(exec, FinishAlpha{}, shear.partials, max_blocks, max_blocks, shear.control,
                blocks.stop);
  launch_groups(exec, blocks, NextResidual<D, Real>{shear});
  reduce_blocks(exec, FinishRotation{}, shear.partials, max_blocks, max_blocks, shear.control,
                blocks.stop);
}

}  // namespace firn

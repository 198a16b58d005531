// Solves for the velocities of faces under implicit deviatoric forces (kernels/thermal/shear.h).
// Scalars stay on the device; the host reads the control block every few iterations.
#pragma once

#include "kernels/exec/buffer.h"
#include "kernels/thermal/shear.h"
#include "src/sim/pressure_solver.h"

namespace firn {

template <class Exec, int D, class Real>
class ShearSolver {
 public:
  explicit ShearSolver(Exec& exec) : exec_(exec), control_(exec, 1) {}

  // Nothing in it outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    const std::size_t faces = std::size_t{blocks} * D * BlockTraits<D>::kNodes;
    for (auto* channel : channels()) renew(exec_, *channel, faces);
    partials_ = {};
    partials_ = Buffer<Exec, double>(exec_, 2 * std::size_t{blocks});
  }
  void reserve_particles(std::uint32_t chunks) {
    const std::size_t reals = chunks * kLanes * stretch_components<D>();
    if (stretch_.size() < reals) renew(exec_, stretch_, reals);
  }

  ShearView<Real> view(const FaceLayers& layers) {
    ShearView<Real> v;
    v.stretch = stretch_.data();
    v.mass = mass_.data(), v.diagonal = diagonal_.data();
    v.in = in_.data(), v.out = out_.data();
    v.r1 = r1_.data(), v.r2 = r2_.data();
    v.w1 = w1_.data(), v.w2 = w2_.data();
    v.partials = partials_.data();
    v.layers = layers;
    v.control = control_.data();
    return v;
  }

  // The velocities of `mac` become those at the end of the step. measure_stretch and keep_masses
  // have run.
  SolveReport solve(int degree, const SolveOptions& options, const ParticleView<Real>& particles,
                    const GridView<Real>& grid, const MacView<Real>& mac, const FaceLayers& layers,
                    std::uint32_t blocks, const StepControl* control) {
    const ShearView<Real> shear = view(layers);
    partials_.zero();
    begin_shear<Exec, D, Real>(exec_, degree, options, particles, grid, mac, shear, blocks,
                               control);
    ShearControl c = control_.first();
    SolveReport report;
    report.stopped = c.stopped != 0;
    while (c.done == 0) {
      for (std::uint32_t i = 0; i < kIterationsPerPoll; ++i)
        iterate_shear<Exec, D, Real>(exec_, degree, particles, grid, mac, shear, blocks, control);
      c = control_.first();
    }
    report.converged = c.failed == 0;
    report.iterations = c.iterations;
    report.residual = c.residual, report.initial = c.initial, report.tolerance = c.tolerance;
    return report;
  }

  std::size_t bytes() const {
    std::size_t sum = stretch_.bytes() + partials_.bytes() + control_.bytes();
    for (const auto* b : {&mass_, &diagonal_, &in_, &out_, &r1_, &r2_, &w1_, &w2_})
      sum += b->bytes();
    return sum;
  }
  // What bytes() says once these are reserved, for estimates.
  static std::size_t bytes_for(std::uint32_t blocks, std::size_t chunks) {
    return sizeof(ShearControl) +
           std::size_t{chunks} * kLanes * stretch_components<D>() * sizeof(Real) +
           blocks * (8 * D * BlockTraits<D>::kNodes * sizeof(Real) + 2 * sizeof(double));
  }

 private:
  static constexpr std::uint32_t kIterationsPerPoll = Exec::kIsCuda ? 4 : 1;

  std::array<Buffer<Exec, Real>*, 8> channels() {
    return {&mass_, &diagonal_, &in_, &out_, &r1_, &r2_, &w1_, &w2_};
  }
  Exec& exec_;
  Buffer<Exec, ShearControl> control_;
  Buffer<Exec, Real> stretch_, mass_, diagonal_, in_, out_, r1_, r2_, w1_, w2_;
  Buffer<Exec, double> partials_;
};

}  // namespace firn

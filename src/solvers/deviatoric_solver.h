// Solves for the velocities of faces under implicit deviatoric forces and for the pressure that
// goes with them (kernels/stress/deviatoric.h). Scalars stay on the device; the host reads the
// control block in every iteration, between two solves for a pressure.
#pragma once

#include "kernels/exec/buffer.h"
#include "kernels/stress/deviatoric.h"
#include "src/solvers/elliptic_solver.h"

namespace firn {

template <class Exec, int D, class Real>
class DeviatoricSolver {
 public:
  explicit DeviatoricSolver(Exec& exec) : exec_(exec), control_(exec, 1) {}

  // Nothing in it outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    const std::size_t cells = std::size_t{blocks} * BlockTraits<D>::kNodes;
    for (auto& channel : faces_) renew(exec_, channel, D * cells);
    for (auto& channel : cells_) renew(exec_, channel, cells);
    partials_ = {};
    partials_ = Buffer<Exec, double>(exec_, 2 * std::size_t{blocks});
  }
  void reserve_particles(std::uint32_t chunks) {
    const std::size_t reals = chunks * kLanes * stretch_components<D>();
    if (stretch_.size() < reals) renew(exec_, stretch_, reals);
  }

  DeviatoricView<Real> view(const FaceLayers& layers) {
    DeviatoricView<Real> v;
    v.stretch = stretch_.data();
    Real** faces[] = {&v.mass, &v.in.face, &v.out.face, &v.r1, &v.r2, &v.w1.face, &v.w2.face};
    for (std::size_t i = 0; i < kFaceChannels; ++i) *faces[i] = faces_[i].data();
    Real** cells[] = {&v.in.cell, &v.out.cell, &v.w1.cell, &v.w2.cell, &v.pressure};
    for (std::size_t i = 0; i < kCellChannels; ++i) *cells[i] = cells_[i].data();
    v.partials = partials_.data();
    v.layers = layers;
    v.control = control_.data();
    return v;
  }

  // Velocities and pressure of the problem's `mac` become those at the end of the step.
  // measure_stretch has run. `pressure` has solved the projection's `system` before; only its
  // right-hand side is replaced, and `count` hears of each of the solves. Where one of those fails,
  // that is what the report is about.
  template <class Count>
  SolveReport solve(const DeviatoricProblem<Real>& problem, const SolveOptions& options,
                    EllipticSolver<Exec, D, Real>& pressure, EllipticSystem<Real> system,
                    Count&& count) {
    system.solution = problem.view.out.cell;
    partials_.zero();
    begin_deviatoric<Exec, D, Real>(exec_, problem, options);
    SolveReport inner = pressure.solve_again(system, kInner, &problem.control->stop);
    DeviatoricControl c;
    for (bool first = true;; first = false) {
      if (inner.stopped) return inner;
      count(inner);
      if (!inner.converged) return inner;
      advance_deviatoric<Exec, D, Real>(exec_, problem, first);
      c = control_.first();
      if (c.done != 0) break;
      multiply_deviatoric<Exec, D, Real>(exec_, problem);
      inner = pressure.solve_again(system, kInner, &problem.control->stop);
    }
    end_deviatoric<Exec, D, Real>(exec_, problem);
    return report_of(c);
  }

  std::size_t bytes() const {
    std::size_t sum = stretch_.bytes() + partials_.bytes() + control_.bytes();
    for (const auto& b : faces_) sum += b.bytes();
    for (const auto& b : cells_) sum += b.bytes();
    return sum;
  }
  // What bytes() says once these are reserved, for estimates.
  static std::size_t bytes_for(std::uint32_t blocks, std::size_t chunks) {
    const std::size_t reals = (D * kFaceChannels + kCellChannels) * BlockTraits<D>::kNodes;
    return sizeof(DeviatoricControl) +
           std::size_t{chunks} * kLanes * stretch_components<D>() * sizeof(Real) +
           blocks * (reals * sizeof(Real) + 2 * sizeof(double));
  }

 private:
  static constexpr std::size_t kFaceChannels = 7, kCellChannels = 5;
  // Of a pressure, relative. A block of 17 x 17 cells at ten times the explicit step takes 105
  // iterations with 1e-1, 66 with 1e-2, 63 with 1e-4 and 62 with 1e-6. Velocities are left as free
  // of divergence as a share of that of their changes: 5e-2/s, 5e-4/s and 4e-5/s in that block,
  // where the projection leaves 1e-4/s.
  static constexpr SolveOptions kInner{1e-4, 0, 200};

  static SolveReport report_of(const DeviatoricControl& c) {
    SolveReport report;
    report.converged = c.failed == 0;
    report.iterations = c.iterations;
    report.residual = c.residual, report.initial = c.initial, report.tolerance = c.tolerance;
    return report;
  }

  Exec& exec_;
  Buffer<Exec, DeviatoricControl> control_;
  std::array<Buffer<Exec, Real>, kFaceChannels> faces_;
  std::array<Buffer<Exec, Real>, kCellChannels> cells_;
  Buffer<Exec, Real> stretch_;
  Buffer<Exec, double> partials_;
};

}  // namespace firn

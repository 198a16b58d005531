// Solves for the velocities of faces under implicit deviatoric forces and for the pressure that
// goes with them (kernels/stress/deviatoric.h), by MINRES with the projection as its
// preconditioner.
#pragma once

#include "kernels/stress/deviatoric_system.h"
#include "src/solvers/elliptic_solver.h"
#include "src/solvers/minres.h"

namespace firn {

template <class Exec, int D, class Real>
class DeviatoricSolver {
 public:
  explicit DeviatoricSolver(Exec& exec) : exec_(exec), minres_(exec) {}

  // Nothing in it outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    const std::size_t cells = std::size_t{blocks} * BlockTraits<D>::kNodes;
    minres_.reserve(blocks);
    renew(exec_, mass_, D * cells);
    renew(exec_, pressure_, cells);
  }
  // Of solids, `components` is stretch_components<D>(), of liquids 1.
  void reserve_particles(std::uint32_t chunks, int components) {
    const std::size_t reals = std::size_t{chunks} * kLanes * static_cast<std::size_t>(components);
    if (stretch_.size() < reals) renew(exec_, stretch_, reals);
  }

  DeviatoricView<Real> view(const FaceLayers& layers) {
    return {stretch_.data(), mass_.data(), pressure_.data(), layers, minres_.vectors()};
  }

  // Velocities and pressure of the problem's `mac` become those at the end of the step.
  // measure_stretch or measure_viscosity has run. Right-hand side and solution of the
  // projection's `system` are replaced; unless it is `known`, `pressure` has not solved one of its
  // matrix before. `count` hears of each of the solves. Where one of those fails, that is what the
  // report is about.
  template <class Count>
  SolveReport solve(const DeviatoricProblem<Real>& problem, const SolveOptions& options,
                    EllipticSolver<Exec, D, Real>& pressure, const EllipticSystem<Real>& system,
                    bool known, Count&& count) {
    Projection<Count> projection{exec_, problem, pressure, system, known, count, {}};
    const SolveReport report = minres_.solve(
        minres_view<D>(problem), [&] { begin_deviatoric<Exec, D, Real>(exec_, problem, options); },
        Operator{exec_, problem}, projection);
    if (projection.last.is_solved()) end_deviatoric<Exec, D, Real>(exec_, problem);
    return report;
  }

  std::size_t bytes() const {
    return stretch_.bytes() + mass_.bytes() + pressure_.bytes() + minres_.bytes();
  }
  // What bytes() says once these are reserved, for estimates.
  static std::size_t bytes_for(std::uint32_t blocks, std::size_t chunks, int components) {
    const std::size_t reals = std::size_t{blocks} * (D + 1) * BlockTraits<D>::kNodes +
                              chunks * kLanes * static_cast<std::size_t>(components);
    return Minres<Exec, DeviatoricSpace<D, Real>>::bytes_for(blocks) + reals * sizeof(Real);
  }

 private:
  // Of a pressure, relative. A block of 17 x 17 cells at ten times the explicit step takes 105
  // iterations with 1e-1, 66 with 1e-2, 63 with 1e-4 and 62 with 1e-6. Velocities are left as free
  // of divergence as a share of that of their changes: 5e-2/s, 5e-4/s and 4e-5/s in that block,
  // where the projection leaves 1e-4/s.
  static constexpr SolveOptions kInner{1e-4, 0, 200};

  struct Operator {
    Exec& exec;
    const DeviatoricProblem<Real>& problem;
    void enqueue(KrylovVector<Real> in, Real* out) {
      apply_deviatoric<Exec, D, Real>(exec, problem, in.value, out);
    }
    auto local(KrylovVector<Real> in, const Real* out) {
      return deviatoric_product<D>(problem, in, out);
    }
  };
  template <class Count>
  struct Projection {
    static constexpr bool kIsSolve = true;
    Exec& exec;
    const DeviatoricProblem<Real>& problem;
    EllipticSolver<Exec, D, Real>& pressure;
    EllipticSystem<Real> system;
    bool known;
    Count& count;
    SolveReport last;
    SolveReport solve(const Real* r, KrylovVector<Real> z) {
      project_residual<Exec, D, Real>(exec, problem, r);
      system.solution = z.companion;
      const std::uint32_t* stop = &problem.control->stop;
      last =
          known ? pressure.solve_again(system, kInner, stop) : pressure.solve(system, kInner, stop);
      known = true;
      if (!last.stopped) count(last);
      return last;
    }
    auto local(const Real* r, KrylovVector<Real> z) {
      return deviatoric_inverse<D>(problem, r, z.companion);
    }
  };

  Exec& exec_;
  Minres<Exec, DeviatoricSpace<D, Real>> minres_;
  Buffer<Exec, Real> mass_, pressure_, stretch_;
};

}  // namespace firn

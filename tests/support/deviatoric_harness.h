// The implicit deviatoric forces (src/stages/deviatoric.h) on particles of any deformation: which
// faces are solved, the operator applied to any field of faces, and the solve. Faces come out in
// one list, and fields of them are vectors in its order.
#pragma once

#include <vector>

#include "src/integrators/unified.h"
#include "tests/support/step_harness.h"

namespace firn::test {

template <int D>
struct DeviatoricFace {
  int axis = 0;
  Vec<int, D> cell{};  // whose lower face it is
  std::size_t index = 0;
  bool own = false;     // keeps its own velocity: E continues that of the others
  bool solved = false;  // and is moved by the solve
  double open = 0;      // share of its area
  double mass = 0;      // kg; 0 unless solved
};

template <int D, class Real>
class DeviatoricHarness : public StepHarness<UnifiedIntegrator<Cpu, D, Real>> {
  using Steps = StepHarness<UnifiedIntegrator<Cpu, D, Real>>;
  using Steps::context_, Steps::integrator_;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;

 public:
  using Steps::Steps;

  // Up to the velocities before the projection.
  void prepare(const std::vector<HarnessParticle<D>>& particles, double dt) {
    Steps::set_particles(particles);
    Steps::set_dt(dt, dt);
    integrator_.prepare();
  }
  // The velocities v* before the solve; of cells of one compressibility, without their volume's
  // share of the right-hand side.
  SolveReport project(double inverse_lambda = 0) {
    const double dt = Steps::control().dt;
    const Real stiffness = static_cast<Real>(inverse_lambda / (dt * dt));
    integrator_.projection.enqueue([&](const MacView<Real>& view) {
      Real* of_cells = integrator_.material.view().compressibility;
      for (std::uint32_t i = 0; i < Steps::control().n_blocks * kCells; ++i)
        of_cells[i] = is_fluid(view, {i / kCells, i % kCells}) ? stiffness : Real(0);
    });
    return integrator_.projection.last();
  }

  // Once begin() or solve() has found which of them are solved.
  std::vector<DeviatoricFace<D>> list() {
    const DeviatoricView<Real> view = integrator_.deviatoric.measured().view;
    std::vector<DeviatoricFace<D>> faces;
    Steps::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      for (int axis = 0; axis < D; ++axis) {
        const auto block = static_cast<std::uint32_t>(place / kCells);
        DeviatoricFace<D> face{axis, cell, Steps::face_at(place, axis)};
        face.own = test_bit(view.layers.mask(0) + face_word<D>(block, axis),
                            static_cast<std::uint32_t>(place % kCells));
        face.mass = view.mass[face.index];
        face.solved = face.mass > 0;
        face.open = mac().area[face.index];
        faces.push_back(face);
      }
    });
    return faces;
  }
  std::vector<double> velocities(const std::vector<DeviatoricFace<D>>& faces) {
    std::vector<double> v;
    for (const DeviatoricFace<D>& f : faces) v.push_back(mac().faces[f.index][kFaceVelocity]);
    return v;
  }

  // Which faces are solved, and their masses.
  void begin() {
    const DeviatoricProblem<Real> problem = integrator_.deviatoric.measured();
    context_.exec.zero(problem.view.minres.partials, 2 * context_.max_blocks() * sizeof(double));
    begin_deviatoric<Cpu, D, Real>(context_.exec, problem, {});
  }
  // H on a field of the faces.
  std::vector<double> apply(const std::vector<DeviatoricFace<D>>& faces,
                            const std::vector<double>& u) {
    const DeviatoricProblem<Real> problem = integrator_.deviatoric.measured();
    const DeviatoricView<Real>& view = problem.view;
    for (std::size_t i = 0; i < faces.size(); ++i) {
      view.minres.in.value[faces[i].index] = static_cast<Real>(u[i]);
      view.minres.out.value[faces[i].index] = Real(0);
    }
    view.minres.control->done = 0;
    apply_deviatoric<Cpu, D, Real>(context_.exec, problem, view.minres.in.value,
                                   view.minres.out.value);
    std::vector<double> out;
    for (const DeviatoricFace<D>& f : faces)
      out.push_back(f.solved ? view.minres.out.value[f.index] : 0.0);
    return out;
  }
  // After project().
  SolveReport solve() {
    integrator_.faces.store().clear_pressure();
    return integrator_.deviatoric.solve(integrator_.deviatoric.measured());
  }
  // Volume that flows out of every cell of fluid for each m/s of a face of the list.
  struct Outflow {
    std::size_t cell, face;
    double area;
  };
  std::vector<Outflow> outflows(const std::vector<DeviatoricFace<D>>& faces) {
    std::vector<Outflow> out;
    const MacView<Real> view = mac();
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const CellAddress upper{static_cast<std::uint32_t>(faces[f].index / (D * kCells)),
                              static_cast<std::uint32_t>(faces[f].index % kCells)};
      const CellAddress lower = cell_address<D>(
          view, upper.block,
          stepped<D>(local_of_node<D>(static_cast<int>(upper.cell)), faces[f].axis, -1));
      const double area = faces[f].open * std::pow(context_.params.dx, D - 1);
      if (is_fluid(view, upper)) out.push_back({cell_index(upper), f, -area});
      if (is_fluid(view, lower)) out.push_back({cell_index(lower), f, area});
    }
    return out;
  }
  double pressure(std::size_t cell) { return mac().pressure[cell]; }

 private:
  MacView<Real> mac() { return integrator_.faces.view(); }
};

}  // namespace firn::test

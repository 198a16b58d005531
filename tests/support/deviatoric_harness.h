// The implicit deviatoric forces (kernels/stress/deviatoric.h) on the particles of a scene, driven
// one operator at a time on the CPU: which faces are solved, the operator applied to any field of
// faces, and the solve. Faces come out in one list, and fields of them are vectors in its order.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/mac/prepare.h"
#include "kernels/mac/project.h"
#include "kernels/transfer/mac.h"
#include "src/solvers/deviatoric_solver.h"
#include "src/state/collider_store.h"
#include "src/state/heat_store.h"
#include "src/state/mac_store.h"
#include "src/state/scene_params.h"
#include "tests/support/particle_harness.h"

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
class DeviatoricHarness : public ParticleHarness<Cpu, D, Real> {
  using Base = ParticleHarness<Cpu, D, Real>;
  using Base::control, Base::kBlocks;
  using Base::control_, Base::dx_, Base::exec_, Base::grid_, Base::particles_, Base::transfer_;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;

 public:
  DeviatoricHarness(Cpu& exec, const Scene& scene)
      : Base(exec, transfer_params(scene), channel_needs(scene), scene.grid.dx),
        params_(scene),
        model_(scene),
        laws_(exec, std::span<const MaterialParams<Real>>(params_.materials)),
        colliders_(exec, scene),
        fluid_(exec),
        heat_(exec, scene, model_),
        solver_(exec),
        pressure_(exec),
        compressibility_(exec, std::size_t{kBlocks} * kCells),
        faces_(exec, std::size_t{kBlocks} * D * kCells * 4) {
    particles_.set_heat_model(model_);
    colliders_.reserve(kBlocks);
    fluid_.reserve(kBlocks);
    heat_.reserve(kBlocks);
    solver_.reserve(kBlocks);
  }

  // Up to the velocities v* before the solve, which `list` is then about.
  void prepare(const std::vector<HarnessParticle<D>>& particles, double dt) {
    Base::set_particles(particles);
    Base::rebuild();
    Base::set_dt(dt, dt);
    StepControl* c = control_.data();
    GridUpdateParams<Real, D> update = params_.update;
    colliders_.fill(update);
    const GridView<Real> grid = grid_.view();
    const LaunchRange blocks{{&c->n_blocks, kBlocks}, &c->stop};
    faces_.zero();
    mac_p2g<Cpu, D, Real>(exec_, transfer_, particles_.view(), grid, faces_.data(), c, kBlocks);
    classify_cells<Cpu, D, Real>(exec_, particles_.view(), grid, mac(), kBlocks, c);
    prepare_faces<Cpu, D, Real>(exec_, FacePass::kMeasure, update, grid, mac(), kBlocks, c);
    flood_cells<Cpu, D, Real>(exec_, update, false, grid, mac(), kBlocks, c);
    find_layers<Cpu, D, Real>(exec_, update, layers(), grid, mac(), blocks);
    transpose_faces<Cpu, D, Real>(exec_, layers(), mac(), blocks);
    prepare_faces<Cpu, D, Real>(exec_, FacePass::kAccelerate, update, grid, mac(), kBlocks, c);
    solver_.reserve_particles(particles_.capacity());
    measure_stretch<Cpu, D, Real>(exec_, laws_.data(), particles_.view(),
                                  heat_.view(particles_.heat()), deviatoric(),
                                  particles_.capacity(), c);
  }

  // As a projection does where the material pulls at all walls that it may leave.
  void open_walls() {
    const MacView<Real> view = mac();
    const std::size_t words = std::size_t{control().n_blocks} * 2 * D;
    std::copy_n(view.separates, words, view.opened);
    for (std::uint32_t i = 0; i < 32 * words; ++i)
      if (test_bit(view.opened, i)) view.area[i] = Real(1);
  }

  // Once begin() or solve() has found which of them are solved.
  std::vector<DeviatoricFace<D>> list() {
    std::vector<DeviatoricFace<D>> faces;
    const std::uint32_t* own = layers().mask(0);
    Base::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      const auto block = static_cast<std::uint32_t>(place / kCells),
                 in_block = static_cast<std::uint32_t>(place % kCells);
      for (int axis = 0; axis < D; ++axis) {
        const std::uint64_t i = face_index<D>(block, axis, in_block);
        DeviatoricFace<D> face{axis, cell, i};
        face.own = test_bit(own + face_word<D>(block, axis), in_block);
        face.mass = deviatoric().mass[i];
        face.solved = face.mass > 0;
        face.open = mac().area[i];
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
    exec_.zero(deviatoric().minres.partials, 2 * kBlocks * sizeof(double));
    begin_deviatoric<Cpu, D, Real>(exec_, problem(), {});
  }
  // H on a field of the faces.
  std::vector<double> apply(const std::vector<DeviatoricFace<D>>& faces,
                            const std::vector<double>& u) {
    const DeviatoricView<Real> view = deviatoric();
    for (std::size_t i = 0; i < faces.size(); ++i) {
      view.minres.in.value[faces[i].index] = static_cast<Real>(u[i]);
      view.minres.out.value[faces[i].index] = Real(0);
    }
    view.minres.control->done = 0;
    apply_deviatoric<Cpu, D, Real>(exec_, problem(), view.minres.in.value, view.minres.out.value);
    std::vector<double> out;
    for (const DeviatoricFace<D>& f : faces)
      out.push_back(f.solved ? view.minres.out.value[f.index] : 0.0);
    return out;
  }
  // From velocities that are as the projection leaves them but for the right-hand side, which the
  // solve does not see.
  SolveReport solve(const SolveOptions& options, double inverse_lambda = 0) {
    const MacView<Real> view = mac();
    StepControl* c = control_.data();
    assemble_projection<Cpu, D, Real>(exec_, grid_.view(), view, kBlocks, c);
    fluid_.clear_pressure();
    const Real stiffness = static_cast<Real>(inverse_lambda / (c->dt * c->dt));
    for (std::uint32_t i = 0; i < c->n_blocks * kCells; ++i)
      compressibility_.data()[i] = is_fluid(view, {i / kCells, i % kCells}) ? stiffness : Real(0);
    const EllipticSystem<Real> system =
        fluid_.system(grid_.view(), {&c->n_blocks, kBlocks}, compressibility_.data());
    pressure_.solve(system, {}, &c->stop);
    fluid_.clear_pressure();
    return solver_.solve(problem(), options, pressure_, system, [](const SolveReport&) {});
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
      const double area = faces[f].open * std::pow(dx_, D - 1);
      if (is_fluid(view, upper)) out.push_back({cell_index(upper), f, -area});
      if (is_fluid(view, lower)) out.push_back({cell_index(lower), f, area});
    }
    return out;
  }
  double pressure(std::size_t cell) { return mac().pressure[cell]; }

 private:
  MacView<Real> mac() {
    MacView<Real> view = fluid_.view(faces_.data());
    view.elastic_fraction = heat_.elastic_fraction().data();
    return view;
  }
  FaceLayers layers() { return heat_.layers(FaceLayers::kMax); }
  DeviatoricView<Real> deviatoric() { return solver_.view(layers()); }
  DeviatoricProblem<Real> problem() {
    return {transfer_.degree, particles_.view(), grid_.view(),   mac(),
            deviatoric(),     kBlocks,           control_.data()};
  }

  SceneParams<D, Real> params_;
  HeatModel<Real> model_;
  Buffer<Cpu, MaterialParams<Real>> laws_;
  ColliderStore<Cpu, D, Real> colliders_;
  MacStore<Cpu, D, Real> fluid_;
  HeatStore<Cpu, D, Real> heat_;
  DeviatoricSolver<Cpu, D, Real> solver_;
  EllipticSolver<Cpu, D, Real> pressure_;
  Buffer<Cpu, Real> compressibility_;
  Buffer<Cpu, Real> faces_;
};

}  // namespace firn::test

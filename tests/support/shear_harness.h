// The implicit deviatoric forces (kernels/thermal/shear.h) on the particles of a scene, driven one
// operator at a time on the CPU: which faces are solved, the operator applied to any field of
// faces, and the solve. Faces come out in one list, and fields of them are vectors in its order.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/fluid/prepare.h"
#include "kernels/transfer/mac.h"
#include "src/sim/collider_store.h"
#include "src/sim/fluid_store.h"
#include "src/sim/heat_store.h"
#include "src/sim/scene_params.h"
#include "src/sim/shear_solver.h"
#include "tests/support/particle_harness.h"

namespace firn::test {

template <int D>
struct ShearFace {
  int axis = 0;
  Vec<int, D> cell{};  // whose lower face it is
  std::size_t index = 0;
  bool own = false;     // keeps its own velocity: E continues that of the others
  bool solved = false;  // and is moved by the solve
  double mass = 0;      // kg
  double diagonal = 0;  // of mass + dt^2 H, as the solver preconditions with; 0 unless solved
};

template <int D, class Real>
class ShearHarness : public ParticleHarness<Cpu, D, Real> {
  using Base = ParticleHarness<Cpu, D, Real>;
  using Base::control, Base::kBlocks;
  using Base::control_, Base::dx_, Base::exec_, Base::grid_, Base::particles_, Base::transfer_;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;

 public:
  ShearHarness(Cpu& exec, const Scene& scene)
      : Base(exec, transfer_params(scene), channel_needs(scene), scene.grid.dx),
        params_(scene),
        model_(scene),
        laws_(exec, std::span<const MaterialParams<Real>>(params_.materials)),
        colliders_(exec, scene),
        fluid_(exec),
        heat_(exec, scene, model_),
        solver_(exec),
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
    fold_faces<Cpu, D, Real>(exec_, layers(), mac(), blocks);
    keep_impulses<Cpu, D, Real>(exec_, mac(), shear(), kBlocks, c);
    prepare_faces<Cpu, D, Real>(exec_, FacePass::kAccelerate, update, grid, mac(), kBlocks, c);
    solver_.reserve_particles(particles_.capacity());
    measure_stretch<Cpu, D, Real>(exec_, laws_.data(), particles_.view(),
                                  heat_.view(particles_.heat()), shear(), particles_.capacity(), c);
  }

  // As a projection does where the material pulls at all walls that it may leave.
  void open_walls() {
    const MacView<Real> view = mac();
    std::copy_n(view.separates, std::size_t{control().n_blocks} * 2 * D, view.opened);
  }

  // Once begin() or solve() has found which of them are solved.
  std::vector<ShearFace<D>> list() {
    std::vector<ShearFace<D>> faces;
    const std::uint32_t* own = layers().mask(0);
    Base::for_each_cell([&](std::size_t place, const Vec<int, D>& cell) {
      const auto block = static_cast<std::uint32_t>(place / kCells),
                 in_block = static_cast<std::uint32_t>(place % kCells);
      for (int axis = 0; axis < D; ++axis) {
        const std::uint64_t i = face_index<D>(block, axis, in_block);
        ShearFace<D> face{axis, cell, i};
        face.own = test_bit(own + face_word<D>(block, axis), in_block);
        face.mass = shear().mass[i];
        face.diagonal = shear().diagonal[i];
        face.solved = face.diagonal > 0;
        faces.push_back(face);
      }
    });
    return faces;
  }
  std::vector<double> velocities(const std::vector<ShearFace<D>>& faces) {
    std::vector<double> v;
    for (const ShearFace<D>& f : faces) v.push_back(mac().faces[f.index][kFaceVelocity]);
    return v;
  }

  // The masses and the diagonal of the system.
  void begin() {
    exec_.zero(shear().partials, 2 * kBlocks * sizeof(double));
    begin_shear<Cpu, D, Real>(exec_, transfer_.degree, {}, particles_.view(), grid_.view(), mac(),
                              shear(), kBlocks, control_.data());
  }
  // H on a field of the faces.
  std::vector<double> apply(const std::vector<ShearFace<D>>& faces, const std::vector<double>& u) {
    const ShearView<Real> view = shear();
    for (std::size_t i = 0; i < faces.size(); ++i) {
      view.in[faces[i].index] = static_cast<Real>(u[i]);
      view.out[faces[i].index] = Real(0);
    }
    view.control->done = 0;
    apply_shear<Cpu, D, Real>(exec_, transfer_.degree, particles_.view(), grid_.view(), mac(), view,
                              kBlocks, control_.data());
    std::vector<double> out;
    for (const ShearFace<D>& f : faces) out.push_back(f.solved ? view.out[f.index] : 0.0);
    return out;
  }
  SolveReport solve(const SolveOptions& options) {
    return solver_.solve(transfer_.degree, options, particles_.view(), grid_.view(), mac(),
                         layers(), kBlocks, control_.data());
  }

 private:
  MacView<Real> mac() {
    MacView<Real> view = fluid_.view(faces_.data());
    view.sheared = heat_.sheared();
    return view;
  }
  FaceLayers layers() { return heat_.layers(FaceLayers::kMax); }
  ShearView<Real> shear() { return solver_.view(layers()); }

  SceneParams<D, Real> params_;
  HeatModel<Real> model_;
  Buffer<Cpu, MaterialParams<Real>> laws_;
  ColliderStore<Cpu, D, Real> colliders_;
  FluidStore<Cpu, D, Real> fluid_;
  HeatStore<Cpu, D, Real> heat_;
  ShearSolver<Cpu, D, Real> solver_;
  Buffer<Cpu, Real> faces_;
};

}  // namespace firn::test

// The operators of one incompressible step (src/integrators/liquid.h) on the particles of a
// scene, driven one at a time, with faces and cells read back in double: what the projection has to
// meet is recomputed here and not taken from the solver.
#pragma once

#include <unordered_map>

#include "kernels/liquid/position_correction.h"
#include "kernels/liquid/tracers.h"
#include "kernels/mac/boundaries.h"
#include "kernels/mac/prepare.h"
#include "kernels/mac/project.h"
#include "kernels/transfer/mac.h"
#include "src/solvers/elliptic_solver.h"
#include "src/state/batch.h"
#include "src/state/collider_store.h"
#include "src/state/mac_store.h"
#include "src/state/scene_params.h"
#include "tests/support/particle_harness.h"

namespace firn::test {

// A face of a fluid cell.
struct FluidFace {
  int axis = 0;
  Vec3 x{};
  double velocity = 0, open = 0, solid_velocity = 0, specific_volume = 0;
};

template <class Exec, int D, class Real>
class FluidHarness : public ParticleHarness<Exec, D, Real> {
 protected:
  using Base = ParticleHarness<Exec, D, Real>;
  using Base::control, Base::kBlocks;
  using Base::control_, Base::dx_, Base::exec_, Base::grid_, Base::particles_, Base::transfer_;

 private:
  using Cell = Vec<int, D>;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;

 public:
  FluidHarness(Exec& exec, const Scene& scene)
      : Base(exec, transfer_params(scene), channel_needs(scene).coefficient_modes, scene.grid.dx),
        params_(scene),
        colliders_(exec, scene),
        fluid_(exec),
        solver_(exec),
        faces_(exec, std::size_t{kBlocks} * D * kCells * 4),
        options_{scene.fluid.tolerance, scene.fluid.absolute_tolerance,
                 static_cast<std::uint32_t>(scene.fluid.max_iterations)},
        ghost_fluid_(scene.fluid.free_surface == FreeSurface::kGhostFluid) {
    fluid_.reserve(kBlocks);
    colliders_.reserve(kBlocks);
    std::vector<HarnessParticle<D>> particles;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) add_body(fill_body(scene, b), particles);
    Base::set_particles(particles);
    Base::rebuild();
  }

  // Up to the velocities after gravity, which the projection then starts from.
  void prepare(double dt, bool flood_full_cells = true) {
    Base::set_dt(dt, dt);
    StepControl* c = control_.data();
    faces_.zero();
    GridUpdateParams<Real, D> update = params_.update;
    colliders_.fill(update);
    mac_p2g<Exec, D, Real>(exec_, transfer_, particles_.view(), grid_.view(), faces_.data(), c,
                           kBlocks);
    classify_cells<Exec, D, Real>(exec_, particles_.view(), grid_.view(), mac(), kBlocks, c);
    prepare_faces<Exec, D, Real>(exec_, FacePass::kBoth, update, grid_.view(), mac(), kBlocks, c);
    fill_cells<Exec, D, Real>(exec_, particles_.view(), grid_.view(), mac(), kBlocks, c);
    flood_cells<Exec, D, Real>(exec_, update, flood_full_cells, grid_.view(), mac(), kBlocks, c);
    extrapolate_faces<Exec, D, Real>(exec_, colliders_.count() > 0 ? D : 1, mac(), kBlocks, c);
    read_cells();
  }

  SolveReport project() {
    StepControl* c = control_.data();
    assemble_projection<Exec, D, Real>(exec_, grid_.view(), mac(), kBlocks, c);
    fluid_.clear_pressure();
    const SolveReport report = solver_.solve(
        fluid_.system(grid_.view(), {&c->n_blocks, kBlocks}, nullptr), options_, &c->stop);
    apply_pressure<Exec, D, Real>(exec_, grid_.view(), mac(), kBlocks, c);
    return report;
  }

  // After project(): the velocities that particles read.
  void complete() {
    StepControl* c = control_.data();
    GridUpdateParams<Real, D> update = params_.update;
    colliders_.fill(update);
    release_sliding_faces<Exec, D, Real>(exec_, update, grid_.view(), mac(), kBlocks, c);
    extrapolate_faces<Exec, D, Real>(exec_, D + 1, mac(), kBlocks, c);
    constrain_faces<Exec, D, Real>(exec_, update, grid_.view(), mac(), kBlocks, c);
    complete_faces<Exec, D, Real>(exec_, mac(), kBlocks, c);
  }

  std::size_t fluid_cells() const { return fluid_cells_.size(); }

  // f(face) for all faces of fluid cells, once each.
  template <class F>
  void for_each_face(F&& f) {
    const Channels now = download();
    for (const auto& [key, place] : places_) {
      const Cell cell = block_of_key<D>(key);
      for (int axis = 0; axis < D; ++axis)
        if (is_fluid_cell(cell) || is_fluid_cell(stepped<D>(cell, axis, -1)))
          f(face_at(now, cell, place, axis));
    }
  }
  // Replaces velocities by f(axis, position).
  template <class F>
  void set_velocities(F&& f) {
    Channels now = download();
    for (const auto& [key, place] : places_)
      for (int axis = 0; axis < D; ++axis) {
        const Cell cell = block_of_key<D>(key);
        now.faces[4 * face_of(place, axis)] =
            static_cast<Real>(f(axis, face_at(now, cell, place, axis).x));
      }
    faces_.upload(now.faces);
  }

  // Replaces how full the cells are by f(centre).
  template <class F>
  void set_filled(F&& f) {
    std::vector<Real> filled(std::size_t{control().n_blocks} * kCells);
    for (const auto& [key, place] : places_)
      filled[place] = static_cast<Real>(f(centre_of(block_of_key<D>(key))));
    exec_.upload(mac().filled, filled.data(), filled.size() * sizeof(Real));
  }
  // f(centre, pressure times dt) for all fluid cells.
  template <class F>
  void for_each_fluid_cell(F&& f) {
    const std::vector<Real> pressure = download_reals(mac().pressure, 1);
    for (const Cell& cell : fluid_cells_)
      f(centre_of(cell), static_cast<double>(pressure[places_.at(key_of(cell))]));
  }

  // Largest over fluid cells of the outflow through open and closed parts of the faces over the
  // cell's volume, 1/s.
  double largest_divergence() {
    const Channels now = download();
    double largest = 0;
    for (const Cell& cell : fluid_cells_) {
      double outflow = 0;
      for (int axis = 0; axis < D; ++axis)
        for (int side = 0; side < 2; ++side) {
          const Cell upper = stepped<D>(cell, axis, side);
          const FluidFace face = face_at(now, upper, places_.at(key_of(upper)), axis);
          const double flux = face.open * face.velocity + (1 - face.open) * face.solid_velocity;
          outflow += side == 0 ? -flux : flux;
        }
      largest = std::max(largest, std::fabs(outflow) / dx_);
    }
    return largest;
  }

  // Continues the velocities of the faces that hold mass.
  void extrapolate(int layers) {
    extrapolate_faces<Exec, D, Real>(exec_, layers, mac(), kBlocks, control_.data());
    layers_ = layers;
  }
  // Where tracers at `points` are after `steps` steps of `dt` through the faces as they are.
  std::vector<Vec3> carried(const std::vector<Vec3>& points, double dt, int steps) {
    Base::set_dt(dt, dt);
    const auto n = static_cast<std::uint32_t>(points.size());
    std::vector<Real> x(std::size_t{n} * D);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Real>(points[i % n][i / n]);
    Buffer<Exec, Real> positions(exec_, std::span<const Real>(x));
    for (int s = 0; s < steps; ++s)
      advance_tracers<Exec, D, Real>(exec_, params_.bounds, grid_.view(),
                                     after_layers(layers_, mac()), positions.data(), n,
                                     control_.data());
    x = positions.download();
    std::vector<Vec3> moved(n);
    for (std::size_t i = 0; i < x.size(); ++i) moved[i % n][i / n] = x[i];
    return moved;
  }
  void set_stop(std::uint32_t flags) {
    StepControl c = control();
    c.stop = flags;
    control_.upload(std::span<const StepControl>(&c, 1));
  }

 protected:
  MacView<Real> mac() {
    MacView<Real> view = fluid_.view(faces_.data());
    view.ghost_fluid = ghost_fluid_;
    return view;
  }
  GridUpdateParams<Real, D> update_params() {
    GridUpdateParams<Real, D> update = params_.update;
    colliders_.fill(update);
    return update;
  }

 private:
  struct Channels {
    std::vector<Real> faces, area;
  };

  static void add_body(const ParticleBatch& batch, std::vector<HarnessParticle<D>>& particles) {
    for (std::size_t i = 0; i < batch.position.size(); ++i) {
      HarnessParticle<D> p;
      for (int a = 0; a < D; ++a) p.x[a] = batch.position[i][a], p.v[a] = batch.velocity[i][a];
      p.mass = batch.mass;
      p.volume = batch.volume;
      p.material = batch.material;
      particles.push_back(p);
    }
  }

  std::vector<Real> download_reals(const Real* channel, int per_cell) {
    std::vector<Real> raw(std::size_t{control().n_blocks} * kCells * per_cell);
    exec_.download(raw.data(), channel, raw.size() * sizeof(Real));
    return raw;
  }
  Channels download() {
    return {download_reals(faces_.data(), 4 * D), download_reals(mac().area, D)};
  }
  // Keys of single cells, made as those of blocks.
  static std::uint64_t key_of(const Cell& cell) { return block_key<D>(cell); }
  bool is_fluid_cell(const Cell& cell) const { return fluid_keys_.contains(key_of(cell)); }

  void read_cells() {
    std::vector<std::uint32_t> fluid(std::size_t{control().n_blocks} * 2);
    exec_.download(fluid.data(), mac().fluid, fluid.size() * sizeof(fluid[0]));
    places_.clear();
    fluid_cells_.clear();
    fluid_keys_.clear();
    Base::for_each_cell([&](std::size_t place, const Cell& cell) {
      places_[key_of(cell)] = place;
      if (!test_bit(fluid.data(), static_cast<std::uint32_t>(place))) return;
      fluid_cells_.push_back(cell);
      fluid_keys_[key_of(cell)] = true;
    });
  }
  Vec3 centre_of(const Cell& cell) const {
    Vec3 x{};
    for (int a = 0; a < D; ++a) x[static_cast<std::size_t>(a)] = dx_ * (cell[a] + 0.5);
    return x;
  }
  static std::size_t face_of(std::size_t place, int axis) {
    return (place / kCells * D + static_cast<std::size_t>(axis)) * kCells + place % kCells;
  }
  FluidFace face_at(const Channels& now, const Cell& cell, std::size_t place, int axis) const {
    const std::size_t i = face_of(place, axis);
    FluidFace face;
    face.axis = axis;
    for (int a = 0; a < D; ++a)
      face.x[static_cast<std::size_t>(a)] = dx_ * (cell[a] + (a == axis ? 0.0 : 0.5));
    face.velocity = now.faces[4 * i];
    face.open = now.area[i];
    face.specific_volume = now.faces[4 * i + kFaceSpecificVolume];
    face.solid_velocity = now.faces[4 * i + kFaceBoundaryVelocity];
    return face;
  }

  SceneParams<D, Real> params_;
  ColliderStore<Exec, D, Real> colliders_;
  MacStore<Exec, D, Real> fluid_;
  EllipticSolver<Exec, D, Real> solver_;
  Buffer<Exec, Real> faces_;
  SolveOptions options_;
  bool ghost_fluid_;
  int layers_ = 0;                                         // of extrapolate
  std::unordered_map<std::uint64_t, std::size_t> places_;  // [block][cell] of every cell
  std::unordered_map<std::uint64_t, bool> fluid_keys_;
  std::vector<Cell> fluid_cells_;
};

}  // namespace firn::test

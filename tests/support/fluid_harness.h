// The parts of an incompressible step (src/integrators/liquid.h) on the particles of a scene, with
// faces and cells read back in double: what the projection has to meet is recomputed here and not
// taken from the solver.
#pragma once

#include <unordered_map>

#include "src/integrators/liquid.h"
#include "tests/support/step_harness.h"

namespace firn::test {

// A face of a fluid cell.
struct FluidFace {
  int axis = 0;
  Vec3 x{};
  double velocity = 0, open = 0, solid_velocity = 0, specific_volume = 0;
};

template <int D, class Real>
class FluidHarness : public StepHarness<LiquidIntegrator<Cpu, D, Real>> {
  using Steps = StepHarness<LiquidIntegrator<Cpu, D, Real>>;
  using Cell = Vec<int, D>;
  using Steps::context_, Steps::integrator_, Steps::kCells;

 public:
  explicit FluidHarness(const Scene& scene) : Steps(scene) {
    std::vector<HarnessParticle<D>> particles;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) add_body(fill_body(scene, b), particles);
    Steps::set_particles(particles);
  }

  // Up to the velocities after gravity, which the projection then starts from.
  void prepare(double dt) {
    Steps::set_dt(dt, dt);
    integrator_.prepare();
    read_cells();
  }
  const SolveReport& project() {
    integrator_.project();
    return integrator_.projection.last();
  }
  // The velocities that particles read, so many layers beyond the liquid.
  void complete() { integrator_.faces.complete(); }
  int layers() const { return integrator_.faces.layer_count(); }

  std::size_t fluid_cells() const { return fluid_cells_.size(); }

  // f(face) for all faces of fluid cells, once each.
  template <class F>
  void for_each_face(F&& f) {
    const Channels now = channels();
    for (const auto& [key, place] : places_) {
      const Cell cell = block_of_key<D>(key);
      for (int axis = 0; axis < D; ++axis)
        if (is_fluid_cell(cell) || is_fluid_cell(stepped<D>(cell, axis, -1)))
          f(face_of(now, cell, place, axis));
    }
  }
  // Replaces velocities by f(axis, position).
  template <class F>
  void set_velocities(F&& f) {
    Channels now = channels();
    for (const auto& [key, place] : places_)
      for (int axis = 0; axis < D; ++axis)
        now.faces[4 * Steps::face_at(place, axis)] =
            static_cast<Real>(f(axis, face_of(now, block_of_key<D>(key), place, axis).x));
    Steps::upload(context_.grid.view().nodes, now.faces);
  }

  // Replaces how full the cells are by f(centre).
  template <class F>
  void set_filled(F&& f) {
    std::vector<Real> filled(std::size_t{Steps::control().n_blocks} * kCells);
    for (const auto& [key, place] : places_)
      filled[place] = static_cast<Real>(f(centre_of(block_of_key<D>(key))));
    Steps::upload(integrator_.faces.view().filled, filled);
  }
  // f(centre, pressure times dt) for all fluid cells.
  template <class F>
  void for_each_fluid_cell(F&& f) {
    const std::vector<Real> pressure = Steps::download(integrator_.faces.view().pressure, 1);
    for (const Cell& cell : fluid_cells_)
      f(centre_of(cell), static_cast<double>(pressure[places_.at(key_of(cell))]));
  }

  // Largest over fluid cells of the outflow through open and closed parts of the faces over the
  // cell's volume, 1/s.
  double largest_divergence() {
    const Channels now = channels();
    double largest = 0;
    for (const Cell& cell : fluid_cells_) {
      double outflow = 0;
      for (int axis = 0; axis < D; ++axis)
        for (int side = 0; side < 2; ++side) {
          const Cell upper = stepped<D>(cell, axis, side);
          const FluidFace face = face_of(now, upper, places_.at(key_of(upper)), axis);
          const double flux = face.open * face.velocity + (1 - face.open) * face.solid_velocity;
          outflow += side == 0 ? -flux : flux;
        }
      largest = std::max(largest, std::fabs(outflow) / context_.params.dx);
    }
    return largest;
  }

  // Where tracers at `points` are after `steps` steps of `dt` through the faces that complete() has
  // left. The scene's own tracers are put there, through the state that they save.
  std::vector<Vec3> carried(const std::vector<Vec3>& points, double dt, int steps) {
    Steps::set_dt(dt, dt);
    std::vector<Real> x = saved_tracers();
    const std::size_t count = x.size() / D;
    for (std::size_t i = 0; i < points.size() * D; ++i)
      x.at(i % D * count + i / D) = static_cast<Real>(points[i / D][i % D]);
    ByteWriter state;
    state.values(std::span<const Real>(x));
    const auto bytes = state.take();
    ByteReader reader(bytes);
    integrator_.tracers.load(reader, 0);
    for (int s = 0; s < steps; ++s) integrator_.tracers.enqueue();
    x = saved_tracers();
    std::vector<Vec3> moved(points.size());
    for (std::size_t i = 0; i < points.size() * D; ++i)
      moved[i / D][i % D] = x[i % D * count + i / D];
    return moved;
  }
  void set_stop(std::uint32_t flags) {
    Steps::change_control([&](StepControl& c) { c.stop = flags; });
  }

 private:
  struct Channels {
    std::vector<Real> faces, area;
  };

  static void add_body(const ParticleBatch& batch, std::vector<HarnessParticle<D>>& particles) {
    for (std::size_t i = 0; i < batch.position.size(); ++i) {
      HarnessParticle<D> p;
      for (int a = 0; a < D; ++a) {
        p.x[a] = batch.position[i][static_cast<std::size_t>(a)];
        p.v[a] = batch.velocity[i][static_cast<std::size_t>(a)];
      }
      p.mass = batch.mass;
      p.volume = batch.volume;
      p.material = batch.material;
      particles.push_back(p);
    }
  }
  // [axis][tracer]
  std::vector<Real> saved_tracers() const {
    ByteWriter state;
    integrator_.tracers.save(state, 0);
    const auto bytes = state.take();
    return ByteReader(bytes).template values<Real>();
  }

  Channels channels() {
    return {Steps::download(context_.grid.view().nodes, 4 * D),
            Steps::download(integrator_.faces.view().area, D)};
  }
  // Keys of single cells, made as those of blocks.
  static std::uint64_t key_of(const Cell& cell) { return block_key<D>(cell); }
  bool is_fluid_cell(const Cell& cell) const { return fluid_keys_.contains(key_of(cell)); }

  void read_cells() {
    const std::uint32_t* fluid = integrator_.faces.view().fluid;
    places_.clear();
    fluid_cells_.clear();
    fluid_keys_.clear();
    Steps::for_each_cell([&](std::size_t place, const Cell& cell) {
      places_[key_of(cell)] = place;
      if (!test_bit(fluid, static_cast<std::uint32_t>(place))) return;
      fluid_cells_.push_back(cell);
      fluid_keys_[key_of(cell)] = true;
    });
  }
  Vec3 centre_of(const Cell& cell) const {
    Vec3 x{};
    for (int a = 0; a < D; ++a)
      x[static_cast<std::size_t>(a)] = context_.params.dx * (cell[a] + 0.5);
    return x;
  }
  FluidFace face_of(const Channels& now, const Cell& cell, std::size_t place, int axis) const {
    const std::size_t i = Steps::face_at(place, axis);
    const Vec<double, D> x = Steps::face_position(cell, axis);
    FluidFace face;
    face.axis = axis;
    for (int a = 0; a < D; ++a) face.x[static_cast<std::size_t>(a)] = x[a];
    face.velocity = now.faces[4 * i];
    face.open = now.area[i];
    face.specific_volume = now.faces[4 * i + kFaceSpecificVolume];
    face.solid_velocity = now.faces[4 * i + kFaceBoundaryVelocity];
    return face;
  }

  std::unordered_map<std::uint64_t, std::size_t> places_;  // [block][cell] of every cell
  std::unordered_map<std::uint64_t, bool> fluid_keys_;
  std::vector<Cell> fluid_cells_;
};

}  // namespace firn::test

// The pressure projection: velocities that lose their divergence, and walls that liquid may leave.
#pragma once

#include "kernels/liquid/separating_walls.h"
#include "kernels/mac/swelling.h"
#include "src/scene/boundary_types.h"
#include "src/scene/integrator_traits.h"
#include "src/stages/face_transfer.h"
#include "src/stages/inflow.h"
#include "src/stages/moved_bodies.h"
#include "src/stages/retry.h"
#include "src/stages/solve_stats.h"

namespace firn {

inline SolveOptions pressure_options(const Scene& scene) {
  if (traits_of(scene).unified) return solve_options(scene.thermal.pressure_solve);
  const FluidSettings& s = scene.fluid;
  return {s.tolerance, s.absolute_tolerance, static_cast<std::uint32_t>(s.max_iterations)};
}

template <class Exec, int D, class Real>
class Projection : public Stage<Exec, D, Real> {
 public:
  Projection(const Scene& scene, StepContext<Exec, D, Real>& context,
             FaceTransfer<Exec, D, Real>& faces, Inflow<Exec, D, Real>& inflow,
             Retry<Exec, D, Real>& retry)
      : Stage<Exec, D, Real>(context),
        faces_(faces),
        inflow_(inflow),
        retry_(retry),
        solver_(context.exec),
        options_(pressure_options(scene)),
        system_name_(traits_of(scene).unified ? kUnifiedPressureSystem : kPressureSystem),
        wall_passes_(has_boundary_type(scene, BoundaryType::kSeparate) ? kMaxWallPasses : 0),
        changed_(context.exec, 1) {}

  // With the term of order zero that the cells' compressibility makes, [block][64].
  void set_compressibility(const Buffer<Exec, Real>& of_cells) { compressibility_ = &of_cells; }

  // With bodies that the pressure moves.
  void set_bodies(MovedBodies<Exec, D, Real>& bodies) { bodies_ = &bodies; }

  // Velocities without divergence. `complete(mac)` adds to the system once its coefficients stand.
  // False if the step is over.
  template <class Complete>
  bool enqueue(Complete&& complete) {
    walls_opened_ = replaced_ = false;
    if (!solve(complete)) return false;
    inflow_.measure_work(faces_.view());
    apply_pressure<Exec, D, Real>(context_.exec, context_.grid.view(), faces_.view(),
                                  context_.max_blocks(), context_.step());
    return true;
  }
  bool enqueue() {
    return enqueue([](const MacView<Real>&) {});
  }
  // Closed faces along which material slides are no longer held; see release_sliding_faces.
  void release_walls() {
    if (context_.bodies.count() > 0)
      release_sliding_faces<Exec, D, Real>(context_.exec, context_.boundaries(),
                                           context_.grid.view(), faces_.view(),
                                           context_.max_blocks(), context_.step());
  }
  // The impulse of the particles' stress on bodies, before faces are accelerated.
  void stress_bodies() {
    stress_reactions<Exec, D, Real>(context_.exec, context_.boundaries(), context_.grid.view(),
                                    faces_.view(), faces_.store().clinging(), context_.max_blocks(),
                                    context_.step());
  }
  // Once what clings has its velocity.
  void settle_bodies() {
    if (faces_.store().clinging() == nullptr) return;
    clinging_reactions<Exec, D, Real>(context_.exec, context_.boundaries(), context_.grid.view(),
                                      faces_.view(), faces_.store().clinging(),
                                      context_.max_blocks(), context_.step());
  }
  // That of the pressure; with `stressed`, onto the other.
  void push_bodies(bool stressed = false) {
    pressure_reactions<Exec, D, Real>(context_.exec, context_.boundaries(), context_.grid.view(),
                                      faces_.view(), stressed, context_.max_blocks(),
                                      context_.step());
  }

  EllipticSystem<Real> system() {
    return faces_.store().system(context_.grid.view(),
                                 {&context_.step()->n_blocks, context_.max_blocks()},
                                 compressibility_ != nullptr ? compressibility_->data() : nullptr);
  }
  EllipticSolver<Exec, D, Real>& solver() { return solver_; }
  PressureStats& stats() { return stats_; }
  const SolveOptions& options() const { return options_; }
  const SolveReport& last() const { return last_; }  // of the solves
  // Whether the matrix is no longer that of walls without exception.
  bool walls_opened() const { return walls_opened_; }
  // The matrix of another view of the cells takes its place for the rest of the step.
  void replace_matrix(const MacView<Real>& mac) {
    assemble_projection<Exec, D, Real>(context_.exec, context_.grid.view(), mac,
                                       context_.max_blocks(), context_.step());
    replaced_ = true;
  }
  bool is_replaced() const { return replaced_ || walls_opened_; }

  void reserve_blocks(std::uint32_t blocks) {
    solver_.reserve(blocks, compressibility_ != nullptr);
  }
  void begin_frame() { stats_ = {}; }
  void report(FrameStats& stats) { stats.pressure = stats_; }
  std::size_t bytes() const { return solver_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;

  // Solves after the first one of a step: one with the walls opened that were under tension, one
  // with those closed again that it showed to be wrong. What is still wrong then is a few faces.
  static constexpr int kMaxWallPasses = 2;
  // Such with what bodies have met, or weigh, as the one before has shown it: each leaves of what
  // is wrong a share, the mass of liquid that a body carries along over that and its own.
  static constexpr int kMaxBodyPasses = 2;

  template <class Complete>
  bool solve(Complete&& complete) {
    StepControl* c = context_.step();
    const MacView<Real> mac = faces_.view();
    faces_.store().clear_pressure();
    for (int pass = 0;; ++pass) {
      if (bodies_ != nullptr && pass > 0) bodies_->let_go();
      assemble_projection<Exec, D, Real>(context_.exec, context_.grid.view(), mac,
                                         context_.max_blocks(), c);
      if (context_.bodies.any_deforms())
        subtract_swelling<Exec, D, Real>(context_.exec, context_.boundaries(), context_.grid.view(),
                                         mac, context_.max_blocks(), c);
      inflow_.feed(mac);
      complete(mac);
      const EllipticSystem<Real> matrix = system();
      const SolveReport report = timed_solve(context_.exec, stats_.seconds, [&] {
        return solver_.solve(matrix, options_, &c->stop, bodies_);
      });
      last_ = report;
      if (!retry_.accepts(report, system_name_)) return false;
      count(report);
      bool again = bodies_ != nullptr && bodies_->push(pass > 0) && pass < kMaxBodyPasses;
      if (pass < wall_passes_ && walls_switch(mac)) again = true;
      if (!again) return true;
    }
  }
  bool walls_switch(const MacView<Real>& mac) {
    changed_.zero();
    switch_walls<Exec, D, Real>(context_.exec, context_.grid.view(), mac, changed_.data(),
                                context_.max_blocks(), context_.step());
    const bool changed = changed_.first() != 0;
    walls_opened_ |= changed;
    return changed;
  }
  void count(const SolveReport& report) {
    count_solve(report, stats_);
    stats_.max_divergence = std::max(stats_.max_divergence, report.residual);
    stats_.sealed_regions = report.singular_components;
  }

  FaceTransfer<Exec, D, Real>& faces_;
  Inflow<Exec, D, Real>& inflow_;
  Retry<Exec, D, Real>& retry_;
  EllipticSolver<Exec, D, Real> solver_;
  SolveOptions options_;
  SolveReport last_;
  const SystemName& system_name_;
  const Buffer<Exec, Real>* compressibility_ = nullptr;
  MovedBodies<Exec, D, Real>* bodies_ = nullptr;
  int wall_passes_;
  bool walls_opened_ = false, replaced_ = false;  // in this step
  Buffer<Exec, std::uint32_t> changed_;
  PressureStats stats_;
};

}  // namespace firn

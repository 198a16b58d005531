// A stage of a step: what it keeps in memory, what it enqueues, what of it outlives the step. An
// integrator is a list of stages and the order in which it calls them; the stepper asks all of them
// for what is below, most of which most stages have nothing to say to.
#pragma once

#include <span>

#include "firn/simulation.h"
#include "src/state/bytes.h"
#include "src/state/step_context.h"

namespace firn {

template <class Exec, int D, class Real>
class Stage {
 public:
  using Context = StepContext<Exec, D, Real>;
  explicit Stage(Context& context) : context_(context) {}

  // The particles' or the grid's capacity has grown. What a stage keeps within a step is lost.
  void reserve_chunks(std::uint32_t /*chunks*/) {}
  void reserve_blocks(std::uint32_t /*blocks*/) {}
  // Particles came into these chunks or left them, between two steps; chunks count from the first
  // one that holds particles.
  void particles_changed(ChunkSpan /*chunks*/) {}
  // Before the first step, when the first layout is known.
  void initialize() {}
  void begin_frame() {}
  // Whether somebody looks at the particles after every one of the steps that follow.
  void watch(bool /*every_step*/) {}
  // Whether a step has to wait for the host: it is then neither captured nor enqueued ahead.
  bool needs_host() const { return false; }
  // Acts on flags that only this stage knows, before anything grows.
  void poll(StepControl&) {}
  // Its part of what a frame reports.
  void report(FrameStats&) {}
  void add_to(Totals&) {}

  // What it alone knows of the particles; `slots` are theirs, in the order of the snapshot.
  void fill(Snapshot&, const SnapshotParts&, std::span<const std::uint32_t> /*slots*/) {}

  std::size_t bytes() const { return 0; }
  // What the state of a step boundary holds beside the particles. Loading throws Error{kFile} where
  // it does not fit.
  void save(ByteWriter&, std::uint32_t /*chunks*/) {}
  void load(ByteReader&, std::uint32_t /*chunks*/) {}

 protected:
  Context& context_;
};

// Throws Error{kFile}.
inline void refuse_unless(bool fits, const char* what) {
  if (!fits)
    throw Error(ErrorCategory::kFile,
                std::string("the saved state has another ") + what + " than this scene");
}

}  // namespace firn

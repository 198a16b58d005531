// What one explicit step must do per particle, stage by stage: bytes that cross memory, by formula
// from the channels that the operators read and write, and operations (operation_count.h). Together
// with floors.h: how close a measured step is to the limit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn {

enum class StepStage { kRebuild, kP2G, kGrid, kG2P, kConstitutive, kFused };
inline constexpr std::size_t kStepStages = 6;
inline constexpr std::array<std::string_view, kStepStages> kStepStageNames{
    "rebuild", "p2g", "grid", "g2p", "constitutive", "fused"};

struct StageCount {
  double bytes = 0, operations = 0;  // per particle and step
};
using StepCounts = std::array<StageCount, kStepStages>;

// How often a run did what: per step, new layouts, and the share of fused steps (those whose gather
// also scatters for the next). Plain steps find a layout each. Between fused ones that of particles
// that are all still in their blocks is the old one, as soon as they have been looked at.
struct StepMix {
  double layouts = 1, fused = 0;
  bool leave_blocks = true;
};

// `blocks`: active ones, halo included. `state` is where the constitutive step starts from. Bytes
// are those that must move however large the caches are: what a stage reads and writes, once each;
// the empty lanes of chunks count nothing, nor does the line that a cache fetches before it is
// overwritten.
StepCounts count_step(const Scene& scene, std::int64_t blocks, bool on_cuda, const Snapshot& state,
                      const StepMix& mix = {});

}  // namespace firn

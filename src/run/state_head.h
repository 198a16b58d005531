// What a saved state begins with: where the simulation stands among its frames, whose its particles
// are, and what was told of the last frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/error.h"
#include "firn/simulation.h"
#include "src/run/particle_owners.h"
#include "src/scene/solve_sums.h"
#include "src/state/bytes.h"

namespace firn {

struct StateHead {
  int frame = 0;  // those that are completed
  bool in_frame = false;
  double frame_begin = 0;  // s
  std::uint32_t next_id = 0;
  std::vector<IdRange> ranges;
  std::vector<std::uint64_t> emissions;  // of each source
  double time = 0;                       // s, of the last completed frame
  Totals totals;                         // as of then
  double lost_volume = 0;
  FrameSolves solves;  // of the frame that is not complete

  void save(ByteWriter& out) const {
    out.value(frame);
    out.value(std::uint32_t{in_frame});
    out.value(frame_begin);
    out.value(next_id);
    out.values(std::span<const IdRange>(ranges));
    out.values(std::span<const std::uint64_t>(emissions));
    out.value(time);
    out.value(totals);
    out.value(lost_volume);
    out.value(solves);
  }
  // Throws Error{kFile} for a state of other bodies or sources than `owners` has.
  static StateHead load(ByteReader& in, const ParticleOwners& owners, std::size_t sources) {
    StateHead head;
    head.frame = in.value<int>();
    const auto in_frame = in.value<std::uint32_t>();
    head.in_frame = in_frame == 1;
    head.frame_begin = in.value<double>();
    head.next_id = in.value<std::uint32_t>();
    head.ranges = in.values<IdRange>();
    head.emissions = in.values<std::uint64_t>();
    if (head.emissions.size() != sources)
      throw Error(ErrorCategory::kFile,
                  "the saved state has another number of sources than this scene");
    if (head.frame < 0 || in_frame > 1 || !owners.fit(head.ranges, head.next_id, head.emissions))
      throw Error(ErrorCategory::kFile,
                  "the saved state has other bodies or sources than this scene");
    head.time = in.value<double>();
    head.totals = in.value<Totals>();
    head.lost_volume = in.value<double>();
    head.solves = in.value<FrameSolves>();
    return head;
  }
};

}  // namespace firn

// Particles that are taken out between two steps. Those behind one in its chunk move up; the next
// layout fills the chunks again, as it does where sinks have taken some.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "firn/error.h"
#include "src/state/particle_store.h"

namespace firn {

// Which lanes of a chunk stay, in their order.
struct KeptLanes {
  std::uint32_t chunk;
  std::vector<std::uint32_t> lanes;
};

// The chunks that lose particles; `layout` is brought to what stays. Throws Error{kScene}, naming
// it, if there is no particle of one of the `ids`, which ascend.
inline std::vector<KeptLanes> lanes_without(std::vector<Chunk>& layout,
                                            const std::vector<std::uint32_t>& id_rows,
                                            std::span<const std::uint32_t> ids) {
  std::vector<KeptLanes> changed;
  std::vector<bool> found(ids.size(), false);
  for (std::uint32_t c = 0; c < layout.size(); ++c) {
    KeptLanes kept{c, {}};
    for (std::uint32_t lane = 0; lane < layout[c].count; ++lane) {
      const std::uint32_t id = id_rows[std::size_t{c} * kLanes + lane];
      const auto at = std::lower_bound(ids.begin(), ids.end(), id);
      if (at != ids.end() && *at == id)
        found[static_cast<std::size_t>(at - ids.begin())] = true;
      else
        kept.lanes.push_back(lane);
    }
    if (kept.lanes.size() < layout[c].count) changed.push_back(std::move(kept));
  }
  const auto missing = std::find(found.begin(), found.end(), false);
  if (missing != found.end())
    throw Error(ErrorCategory::kScene,
                "remove_particles: there is no particle " +
                    std::to_string(ids[static_cast<std::size_t>(missing - found.begin())]) +
                    "; it never was, or is gone already");
  for (const KeptLanes& kept : changed)
    layout[kept.chunk].count = static_cast<std::uint32_t>(kept.lanes.size());
  return changed;
}

template <class T>
void move_up(std::vector<T>& rows, int components, const std::vector<KeptLanes>& changed) {
  for (const KeptLanes& kept : changed)
    for (int k = 0; k < components; ++k) {
      T* row = channel_row(rows.data(), kept.chunk, components, k);
      for (std::size_t lane = 0; lane < kept.lanes.size(); ++lane)
        row[lane] = row[kept.lanes[lane]];
    }
}

template <class Exec, int D, class Real>
void remove_particles(ParticleStore<Exec, D, Real>& particles, ChunkSpan present,
                      std::span<const std::uint32_t> ids) {
  auto layout = particles.chunks(present);
  auto id_rows = particles.ids(present);
  const std::vector<KeptLanes> changed = lanes_without(layout, id_rows, ids);
  move_up(id_rows, 1, changed);
  for (int c = 0; c < kParticleChannels; ++c) {
    const auto channel = static_cast<ParticleChannel>(c);
    if (!particles.has(channel)) continue;
    auto rows = particles.download(channel, present);
    move_up(rows, particles.components(channel), changed);
    particles.upload_raw(channel, present, rows);
  }
  particles.set_layout(layout, id_rows, present.first);
}

}  // namespace firn

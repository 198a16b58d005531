// The particles of a saved state: their chunks as they lie, ids, and every channel.
#pragma once

#include <algorithm>
#include <vector>

#include "src/state/bytes.h"
#include "src/state/particle_store.h"

namespace firn {

// The lanes whose bit is set in `held`, a word per chunk; zeros for the others.
template <class T>
void save_rows(ByteWriter& out, const std::vector<std::uint32_t>& held, std::vector<T> values,
               int components) {
  for (std::uint32_t c = 0; c < held.size(); ++c)
    for (int k = 0; k < components; ++k)
      for (int lane = 0; lane < kLanes; ++lane)
        if ((held[c] >> lane & 1u) == 0) channel_row(values.data(), c, components, k)[lane] = T(0);
  out.values(std::span<const T>(values));
}

// Lanes without a particle are written as zero: what lies in them depends on steps that a resumed
// run never made. So are what lies on the grid between fused steps (`carried`) of coefficients,
// stresses and, unless they have `velocities`, those, but for late particles.
template <class Exec, int D, class Real>
void save_particles(ByteWriter& out, const ParticleStore<Exec, D, Real>& particles, ChunkSpan at,
                    bool carried, bool velocities) {
  const std::vector<Chunk> layout = particles.chunks(at);
  const std::vector<std::uint32_t> late =
      carried ? particles.late_marks(at) : std::vector<std::uint32_t>{};
  out.values(std::span<const Chunk>(layout));
  std::vector<std::uint32_t> held(at.count);
  for (std::uint32_t c = 0; c < at.count; ++c)
    held[c] = static_cast<std::uint32_t>((std::uint64_t{1} << layout[c].count) - 1);
  save_rows(out, held, particles.ids(at), 1);
  for (int c = 0; c < kParticleChannels; ++c) {
    const auto channel = static_cast<ParticleChannel>(c);
    const bool on_the_grid =
        carried && particles.is_idle(channel) && !(velocities && channel == kV);
    if (particles.has(channel))
      save_rows(out, on_the_grid ? late : held, particles.download(channel, at),
                particles.components(channel));
  }
}

// Whether the rest of what save_particles wrote, after `layout`, which the caller has read and
// checked, is of such particles; ids must be below `id_end`. Takes it from `in`. Throws
// Error{kFile}.
template <class Exec, int D, class Real>
void require_particles_fit(ByteReader& in, const ParticleStore<Exec, D, Real>& particles,
                           const std::vector<Chunk>& layout, std::uint32_t id_end) {
  const auto require = [](bool fits) {
    if (!fits)
      throw Error(ErrorCategory::kFile,
                  "the saved state has other particle channels than this scene");
  };
  const auto ids = in.values<std::uint32_t>();
  require(std::all_of(ids.begin(), ids.end(), [=](std::uint32_t id) { return id < id_end; }));
  require(ids.size() == layout.size() * kLanes);
  for (int c = 0; c < kParticleChannels; ++c) {
    const auto channel = static_cast<ParticleChannel>(c);
    if (particles.has(channel))
      require(in.skip<Real>() ==
              ids.size() * static_cast<std::size_t>(particles.components(channel)));
  }
}

// That rest, once it fits. The particles then lie from chunk 0 on.
template <class Exec, int D, class Real>
void load_particles(ByteReader& in, ParticleStore<Exec, D, Real>& particles,
                    const std::vector<Chunk>& layout) {
  particles.set_layout(layout, in.values<std::uint32_t>(), 0);
  for (int c = 0; c < kParticleChannels; ++c) {
    const auto channel = static_cast<ParticleChannel>(c);
    if (particles.has(channel))
      particles.upload_raw(channel, {0, static_cast<std::uint32_t>(layout.size())},
                           in.values<Real>());
  }
}

}  // namespace firn

// Which channels the particles of a scene have and where each one lies. Where steps are fused, what
// outlives them has two banks (kernels/fields/particles.h), and what does not is a guest in the
// bank that is free; bytes per particle follow from that alone, before anything is allocated.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/fields/particles.h"
#include "src/state/particle_table.h"

namespace firn {

template <int D, class Real>
class ChannelPlan {
 public:
  explicit ChannelPlan(const ChannelNeeds& needs) : needs_(needs) {
    for (const ChannelRow& row : kParticleTable)
      components_[row.channel] = row.components(needs, D);
  }

  int components(int c) const { return components_[static_cast<std::size_t>(c)]; }
  int banks() const { return needs_.fused ? 2 : 1; }
  int coefficient_modes() const { return needs_.coefficient_modes; }
  int history_values() const { return needs_.history; }

  // What a fused step leaves on the grid instead of with the particles.
  bool on_the_grid(int c) const { return needs_.fused && row_of(c).made_anew(needs_); }
  // The channel whose free bank takes in all of channel c; c itself if there is none.
  int owner(int c) const {
    if (!on_the_grid(c)) return c;
    if (c == kV) return kX;
    return c == kCoefficients && components(c) == components(kDisplacement) ? kDisplacement : c;
  }
  // So many components of the stress are guests of mass, volume and, where one fits, id.
  int single_guests() const {
    if (!on_the_grid(kStress)) return 0;
    return std::min(components(kStress), sizeof(Real) == sizeof(std::uint32_t) ? 3 : 2);
  }
  // Components with memory of their own, and values of it per slot.
  int own_components(int c) const {
    if (owner(c) != c) return 0;
    return components(c) - (c == kStress ? single_guests() : 0);
  }
  int values_per_slot(int c) const { return own_components(c) * (on_the_grid(c) ? 1 : banks()); }

  // Through the spare rows are permuted that have no other bank: all of a channel at once where
  // every layout does that, else, since it is rare, as little as the sort needs for its keys and
  // values. On the steps that are never fused the spare also holds the velocity gradients.
  int spare_components() const {
    if (needs_.fused) return static_cast<int>(2 * sizeof(std::uint32_t) / sizeof(Real));
    return std::max(D * D, *std::max_element(components_.begin(), components_.end()));
  }

  // Beside the chunk it lies in.
  std::size_t bytes_per_slot() const {
    int values = spare_components();
    for (int c = 0; c < kParticleChannels; ++c) values += values_per_slot(c);
    const int indices = banks() + 2;  // ids, the bins of the slots, the permutation
    return static_cast<std::size_t>(values) * sizeof(Real) +
           static_cast<std::size_t>(indices) * sizeof(std::uint32_t);
  }
  std::size_t bytes_per_chunk() const {
    const std::size_t marks = needs_.fused ? sizeof(std::uint32_t) : 0;
    return kLanes * bytes_per_slot() + static_cast<std::size_t>(banks()) * (sizeof(Chunk) + marks);
  }
  // What a saved state holds: channels and ids.
  std::size_t saved_bytes_per_slot() const {
    int values = 0;
    for (int n : components_) values += n;
    return static_cast<std::size_t>(values) * sizeof(Real) + sizeof(std::uint32_t);
  }

 private:
  ChannelNeeds needs_;
  std::array<int, kParticleChannels> components_{};
};

}  // namespace firn

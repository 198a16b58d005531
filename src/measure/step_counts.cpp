#include "src/measure/step_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "src/measure/operation_count.h"
#include "src/state/scene_params.h"

namespace firn {

namespace {

constexpr double kIndex = sizeof(std::uint32_t), kKey = sizeof(std::uint64_t);
constexpr double kNodesPerBlock = 64;
constexpr double kChunk = static_cast<double>(sizeof(Chunk)) / kLanes;  // per particle

// The sizes that all stages count with.
struct Sizes {
  explicit Sizes(const Scene& scene, std::int64_t blocks, std::size_t particles)
      : transfer(transfer_params(scene)),
        d(scene.simulation.dimension),
        colliders(static_cast<double>(scene.colliders.size())),
        real(scene.simulation.precision == Precision::kDouble ? 8 : 4),
        node(4 * real),
        blocks_per_particle(static_cast<double>(blocks) /
                            static_cast<double>(std::max<std::size_t>(particles, 1))),
        hash_per_particle(
            static_cast<double>(std::bit_ceil(2 * static_cast<std::uint64_t>(blocks))) /
            static_cast<double>(std::max<std::size_t>(particles, 1))) {
    const ChannelNeeds needs = channel_needs(scene, true);
    for (const ChannelRow& row : kParticleTable) {
      components[row.channel] = row.components(needs, d);
      idle[row.channel] = row.made_anew(needs);
    }
  }
  double per_block(double bytes) const { return blocks_per_particle * bytes; }

  TransferParams transfer;
  int d;
  double colliders;
  double real, node;  // bytes
  double blocks_per_particle, hash_per_particle;
  std::array<int, kParticleChannels> components{};
  std::array<bool, kParticleChannels> idle{};  // between fused steps
};

// When a layout is made.
enum class Layout {
  kPlain,    // steps are not fused: a sort, and every channel in place
  kFirst,    // after a step that was not fused with the next
  kBetween,  // fused steps: what outlives them goes to the other bank
};

// Where a particle is, and in which block and material it was.
double look_bytes(const Sizes& s) { return kChunk + s.d * s.real; }

// By sorting: marking reads x and the chunk table and writes the particle's place in the hash;
// binning replaces that by its bin; the counting permutation reads the bins twice and writes the
// order. By counting neighbours: x and the chunk table are read twice, the order is written; the
// counts are written, named, sorted and added up. Then the new chunks are written, the hash is
// cleared, and scanned twice for keys; blocks write keys, home, ranks and corners.
double find_bytes(const Sizes& s, bool near) {
  const double look = look_bytes(s), counts = 8.0 * kIndex * int_power(3, s.d);
  const double places = near ? 2 * look + kIndex + s.per_block(counts)
                             : look + kIndex + kChunk + 2 * kIndex + 3 * kIndex;
  return places + kChunk + s.hash_per_particle * (kKey + kIndex + 2 * (kKey + kIndex)) +
         s.per_block(2 * kKey + (4 + BlockTraits<3>::kCorners) * kIndex);
}

// Between banks every number is read and written once, where the order says. In place it returns
// from the spare, unless the channel is as wide as that and the two change places (CPU only); the
// order is read for each group of components that fits the spare.
double move_bytes(const Sizes& s, bool on_cuda, Layout layout) {
  int spare = layout == Layout::kPlain ? s.d * s.d : static_cast<int>(2 * kIndex / s.real);
  if (layout == Layout::kPlain)
    for (const int n : s.components) spare = std::max(spare, n);
  double bytes = layout == Layout::kBetween ? kIndex + 2 * kIndex : kIndex + 2 * 2 * kIndex;  // ids
  for (std::size_t c = 0; c < s.components.size(); ++c) {
    const int n = s.components[c];
    if (layout == Layout::kBetween) {
      bytes += s.idle[c] ? 0 : 2 * n * s.real;
    } else if (n > 0) {
      const int passes = layout == Layout::kPlain && n == spare && !on_cuda ? 1 : 2;
      bytes += std::ceil(static_cast<double>(n) / spare) * kIndex + passes * 2 * n * s.real;
    }
  }
  return bytes;
}
double rebuild_bytes(const Sizes& s, bool on_cuda, Layout layout) {
  return find_bytes(s, layout != Layout::kPlain) + move_bytes(s, on_cuda, layout);
}

// Reads a particle's x, m, v, coefficients and stress. Nodes are cleared, then added to once they
// are complete in the arena.
double p2g_bytes(const Sizes& s) {
  const double node_channels = s.transfer.separate_force ? 2 : 1;
  return kChunk + (2 * s.d + 1 + s.components[kCoefficients] + s.components[kStress]) * s.real +
         s.per_block(node_channels * 3 * kNodesPerBlock * s.node);
}

// Nodes (and the impulses of FLIP) are read and written, between fused steps set to zero too; each
// collider's reaction is written.
double grid_bytes(const Sizes& s, bool apart) {
  const double node_channels = s.transfer.separate_force ? 2 : 1;
  return s.per_block(node_channels * (apart ? 3 : 2) * kNodesPerBlock * s.node + kKey +
                     s.colliders * kReactionColumns * sizeof(double));
}

// Reads x and nodes (FLIP: v and increments too), writes x, v, coefficients and the gradient.
double g2p_bytes(const Sizes& s) {
  const bool flip = s.transfer.flip > 0;
  const int reals = s.d + (flip ? s.d : 0) + 2 * s.d + s.components[kCoefficients] + s.d * s.d;
  return kChunk + reals * s.real + s.per_block((flip ? 2 : 1) * kNodesPerBlock * s.node);
}

// Reads the gradient and the rest volume, reads and writes F and the plastic state, writes stress.
double constitutive_bytes(const Sizes& s) {
  return kChunk + (s.d * s.d + 1 + 2 * s.components[kDisplacement] + 2 * s.components[kHistory] +
                   s.components[kStress]) *
                      s.real;
}

// Reads and writes x, F and the plastic state, reads mass and rest volume, and with FLIP v; a step
// that is not fused with the next writes v, coefficients and stress. Velocities (FLIP: increments)
// are read, momentum (and impulse) added to.
double fused_bytes(const Sizes& s, double fused) {
  const bool flip = s.transfer.flip > 0;
  const double stored = s.d + s.components[kCoefficients] + s.components[kStress];
  const double reals =
      2 * (s.d + s.components[kDisplacement] + s.components[kHistory]) + 2 + (flip ? 2 * s.d : 0);
  return kChunk + (reals + (1 - fused) * stored) * s.real +
         s.per_block((flip ? 2 : 1) * (1 + 2 * fused) * kNodesPerBlock * s.node);
}

// Per node and axis: momentum to velocity and dt g added; with separate impulses those too, and the
// increment; one division. Colliders are reached by few blocks and count nothing.
double grid_operations(const Sizes& s) {
  const double per_axis = s.transfer.separate_force ? 3 + 2 + 1 : 3;
  return s.per_block(kNodesPerBlock * (1 + s.d * per_axis));
}

// The node of every axis: axis_base, and the range check before it.
double rebuild_operations(const Sizes& s) { return 5.0 * s.d; }

// Arenas are added to the nodes they cover: once per node of the active blocks at least, more where
// arenas overlap.
double flush_operations(const Sizes& s) {
  const double channels = s.transfer.separate_force ? 2 : 1;
  return s.per_block(channels * 4 * kNodesPerBlock);
}

}  // namespace

StepCounts count_step(const Scene& scene, std::int64_t blocks, bool on_cuda, const Snapshot& state,
                      const StepMix& mix) {
  const Sizes s(scene, blocks, state.size());
  const TransferOperations transfer = count_transfer(scene);
  const double p2g = static_cast<double>(transfer.p2g) + flush_operations(s),
               g2p = static_cast<double>(transfer.g2p),
               constitutive = count_constitutive(scene, state);
  if (!fuses_steps(scene, on_cuda))
    return {{{rebuild_bytes(s, on_cuda, Layout::kPlain), rebuild_operations(s)},
             {p2g_bytes(s), p2g},
             {grid_bytes(s, false), grid_operations(s)},
             {g2p_bytes(s), g2p},
             {constitutive_bytes(s), constitutive},
             {}}};
  const double plain = 1 - mix.fused, between = std::max(0.0, mix.layouts - plain);
  const double moved = plain * rebuild_bytes(s, on_cuda, Layout::kFirst) +
                       between * rebuild_bytes(s, on_cuda, Layout::kBetween);
  return {{{mix.leave_blocks ? moved : mix.layouts * look_bytes(s),
            mix.layouts * rebuild_operations(s)},
           {plain * p2g_bytes(s), plain * p2g},
           {grid_bytes(s, true), grid_operations(s)},
           {},
           {},
           {fused_bytes(s, mix.fused), g2p + constitutive + mix.fused * p2g}}};
}

}  // namespace firn

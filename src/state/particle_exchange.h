// Particles on their way from one partition of a domain to another, through the host's memory. They
// keep their order: a layout sorts stably by block and material, and blocks follow each other as
// partitions do. So if what comes from lower ranks goes before a partition's own particles and what
// comes from higher ones behind them, every block has its particles in the order that they have in
// a whole domain, and every sum over them is the same to the bit.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "kernels/fields/blocks.h"
#include "src/state/bytes.h"
#include "src/state/particle_store.h"
#include "src/state/partition.h"

namespace firn {

// Particles in chunks, as a store has them.
template <class Exec, int D, class Real>
class HostParticles {
 public:
  using Store = ParticleStore<Exec, D, Real>;

  explicit HostParticles(const Store& store) {
    for (std::size_t c = 0; c < kParticleChannels; ++c)
      components_[c] = store.components(static_cast<ParticleChannel>(c));
  }
  HostParticles(const Store& store, ChunkSpan at) : HostParticles(store) {
    chunks_ = store.chunks(at);
    ids_ = store.ids(at);
    for (std::size_t c = 0; c < kParticleChannels; ++c)
      channels_[c] = store.download(static_cast<ParticleChannel>(c), at);
  }
  // To chunk `first` and those behind it.
  void upload(Store& store, std::uint32_t first) const {
    store.set_layout(chunks_, ids_, first);
    for (std::size_t c = 0; c < kParticleChannels; ++c)
      store.upload_raw(static_cast<ParticleChannel>(c), {first, chunk_count()}, channels_[c]);
  }

  std::uint32_t chunk_count() const { return static_cast<std::uint32_t>(chunks_.size()); }
  std::uint32_t size() const {
    std::uint32_t n = 0;
    for (const Chunk& chunk : chunks_) n += chunk.count;
    return n;
  }
  bool holds(std::uint32_t slot) const { return slot % kLanes < chunks_[slot / kLanes].count; }
  const std::vector<Real>& channel(ParticleChannel c) const { return channels_[c]; }

  // Behind the others, into a chunk of its material.
  void push(const HostParticles& from, std::uint32_t slot) {
    const std::uint32_t material = from.chunks_[slot / kLanes].material;
    if (chunks_.empty() || chunks_.back().count == kLanes || chunks_.back().material != material)
      open_chunk(material);
    const std::uint32_t to = (chunk_count() - 1) * kLanes + chunks_.back().count++;
    ids_[to] = from.ids_[slot];
    for (std::size_t c = 0; c < kParticleChannels; ++c)
      for (int k = 0; k < components_[c]; ++k)
        channel_at(channels_[c].data(), to, components_[c], k) =
            channel_at(from.channels_[c].data(), slot, components_[c], k);
  }
  // Behind the others, in chunks of their own.
  void append(const HostParticles& other) {
    chunks_.insert(chunks_.end(), other.chunks_.begin(), other.chunks_.end());
    ids_.insert(ids_.end(), other.ids_.begin(), other.ids_.end());
    for (std::size_t c = 0; c < kParticleChannels; ++c)
      channels_[c].insert(channels_[c].end(), other.channels_[c].begin(), other.channels_[c].end());
  }

  // Empty without particles.
  Message message() const {
    if (chunks_.empty()) return {};
    ByteWriter out;
    out.values(std::span<const Chunk>(chunks_));
    out.values(std::span<const std::uint32_t>(ids_));
    for (const auto& channel : channels_) out.values(std::span<const Real>(channel));
    return out.take();
  }
  void append(const Message& message) {
    if (message.empty()) return;
    HostParticles other = *this;
    ByteReader in(message);
    other.chunks_ = in.values<Chunk>();
    other.ids_ = in.values<std::uint32_t>();
    for (auto& channel : other.channels_) channel = in.values<Real>();
    in.expect_end();
    append(other);
  }

 private:
  void open_chunk(std::uint32_t material) {
    chunks_.push_back({0, material, 0, 0});
    ids_.resize(ids_.size() + kLanes);
    for (std::size_t c = 0; c < kParticleChannels; ++c)
      channels_[c].resize(channels_[c].size() + static_cast<std::size_t>(components_[c]) * kLanes);
  }

  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> ids_;
  std::array<std::vector<Real>, kParticleChannels> channels_;
  std::array<int, kParticleChannels> components_{};
};

template <class Exec, int D, class Real>
class ParticleExchange {
 public:
  using Store = ParticleStore<Exec, D, Real>;
  using Particles = HostParticles<Exec, D, Real>;

  // `shift`: home_shift(params).
  ParticleExchange(Partition<Real>& partition, const GridView<Real>& grid, Real shift)
      : partition_(partition),
        dx_(grid.dx),
        inv_dx_(grid.inv_dx),
        shift_(shift),
        periodic_(grid.periodic) {}

  // The particles of these chunks that are this partition's.
  Particles at_home(const Store& store, ChunkSpan at) const {
    return divided(store, at)[partition_.rank()];
  }

  // Gives the others what is theirs, and returns what this partition then has: nothing where that
  // is what lies in the store. What was added since the last layout stands behind all others, as it
  // does in a whole domain; it has not moved. c.placed_chunks follows.
  std::optional<Particles> after_exchange(const Store& store, ChunkSpan present, StepControl& c) {
    const ChunkSpan placed{present.first, c.placed_chunks},
        added{present.first + placed.count, present.count - placed.count};
    const bool stay = all_at_home(store, placed);
    std::vector<Particles> parts(partition_.count(), Particles(store));
    if (!stay) parts = divided(store, placed);
    std::vector<Message> messages(parts.size());
    const std::size_t here = partition_.rank();
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      if (rank != here) messages[rank] = parts[rank].message();
    messages = partition_.exchange(std::move(messages));
    if (stay && std::all_of(messages.begin(), messages.end(),
                            [](const Message& message) { return message.empty(); }))
      return std::nullopt;
    Particles all(store);
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      if (rank != here)
        all.append(messages[rank]);
      else
        all.append(stay ? Particles(store, placed) : parts[here]);
    c.placed_chunks = all.chunk_count();
    all.append(Particles(store, added));
    return all;
  }

 private:
  bool all_at_home(const Store& store, ChunkSpan at) const {
    const auto chunks = store.chunks(at);
    const auto x = store.download(kX, at);
    for (std::uint32_t slot = 0; slot < at.count * kLanes; ++slot)
      if (slot % kLanes < chunks[slot / kLanes].count && owner(x, slot) != partition_.rank())
        return false;
    return true;
  }
  // By the rank of the partition that they are at home in.
  std::vector<Particles> divided(const Store& store, ChunkSpan at) const {
    const Particles all(store, at);
    std::vector<Particles> parts(partition_.count(), Particles(store));
    for (std::uint32_t slot = 0; slot < at.count * kLanes; ++slot)
      if (all.holds(slot)) parts[owner(all.channel(kX), slot)].push(all, slot);
    return parts;
  }

  // Of the block that the next layout finds for the particle (MarkHomes in grid/active_blocks.inl).
  // One whose position is no number stays, and the layout reports it.
  std::size_t owner(const std::vector<Real>& x, std::uint32_t slot) const {
    Vec<int, D> block;
    for (int a = 0; a < D; ++a) {
      Real at = channel_at(x.data(), slot, D, a);
      if (!(abs(at * inv_dx_) < static_cast<Real>(BlockTraits<D>::kMaxCell)))
        return partition_.rank();
      block[a] = come_home<D>(periodic_, a, dx_, inv_dx_, shift_, at);
    }
    return partition_.owner(block_key<D>(block));
  }

  Partition<Real>& partition_;
  Real dx_, inv_dx_, shift_;
  PeriodicBlocks periodic_;
};

}  // namespace firn

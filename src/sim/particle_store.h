// The particles of one simulation in a backend's memory: chunked channels
// (kernels/particles/layout.h) and the spare buffer through which a new layout is permuted, channel
// by channel.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/exec/buffer.h"
#include "kernels/grid/rebuild.h"
#include "kernels/materials/material.h"
#include "kernels/particles/layout.h"
#include "kernels/transfer/transfer.h"
#include "src/sim/batch.h"
#include "src/sim/bytes.h"

namespace firn {

// Which optional channels a scene needs.
struct ChannelNeeds {
  int coefficient_modes = 0;
  bool deformation = false, plastic = false, stress = true;
  bool fused = false;    // steps may be fused: what they keep on the grid need not be permuted
  bool velocity = true;  // v outlives a fused step (FLIP)
};

template <class Exec, int D, class Real>
class ParticleStore {
 public:
  ParticleStore(Exec& exec, const ChannelNeeds& needs) : exec_(exec), needs_(needs) {
    components_ = {D,
                   D,
                   needs.coefficient_modes * D,
                   needs.deformation ? D * D : 0,
                   needs.plastic ? 2 : 0,
                   needs.stress ? symmetric_components(D) : 0,
                   1,
                   1};
    spare_components_ = std::max(D * D, *std::max_element(components_.begin(), components_.end()));
  }

  std::uint32_t capacity() const { return capacity_; }  // chunks
  std::uint64_t slots() const { return std::uint64_t{capacity_} * kLanes; }

  ParticleView<Real> view() {
    ParticleView<Real> v;
    v.chunks = chunks_.data();
    v.id = id_.data();
    Real** members[kChannels] = {&v.x,       &v.v,      &v.coefficients, &v.F,
                                 &v.plastic, &v.stress, &v.mass,         &v.volume};
    for (int c = 0; c < kChannels; ++c) *members[c] = channels_[c].data();
    v.gradient = spare_.data();
    v.coefficient_modes = needs_.coefficient_modes;
    v.late = late_.data();
    return v;
  }

  // Room for at least `chunks` chunks; particles keep their slots.
  void reserve(std::uint32_t chunks) {
    if (chunks <= capacity_) return;
    capacity_ = chunks;
    resize(chunks_, chunks);
    resize(id_, slots());
    for (int c = 0; c < kChannels; ++c)
      if (components_[c] > 0) resize(channels_[c], slots() * components_[c]);
    // Scratch keeps nothing: free it before the larger one is there.
    for (auto* scratch : {&slot_block_, &order_}) {
      *scratch = {};
      *scratch = Buffer<Exec, std::uint32_t>(exec_, slots());
    }
    spare_ = {};
    spare_ = Buffer<Exec, Real>(exec_, slots() * spare_components_);
    spare_.zero();
    if (needs_.fused) resize(late_, chunks);
  }

  void fill(RebuildView& scratch) {
    scratch.max_chunks = capacity_;
    scratch.slot_block = slot_block_.data();
    scratch.order = order_.data();
  }

  // Brings every channel into the layout that rebuild_layout has found; between fused steps only
  // those that outlive them.
  void permute(const RebuildView& scratch, const StepControl* control) {
    for (int c = 0; c < kChannels; ++c) {
      if (components_[c] == 0) continue;
      const std::uint32_t* skip = on_the_grid(c) ? &control->skip_particles : &control->skip_layout;
      permute_channel(exec_, scratch, chunks_.data(), channels_[c].data(), components_[c],
                      spare_.data(), control, skip);
      take_from_spare(channels_[c], components_[c], control, skip);
    }
    const std::uint32_t* skip = &control->skip_layout;
    auto* spare_ids = reinterpret_cast<std::uint32_t*>(spare_.data());
    permute_channel(exec_, scratch, chunks_.data(), id_.data(), 1, spare_ids, control, skip);
    copy_chunks(exec_, spare_ids, 1, id_.data(), capacity_, control, skip);
  }

  // The permutation of the last layout and the marks of those whose momentum is not on the grid.
  LateParticles late() const { return {order_.data(), late_.data()}; }

  // Writes a batch into new chunks from `first_chunk` on; returns how many it took.
  std::uint32_t append(const ParticleBatch& batch, std::uint32_t first_id,
                       std::uint32_t first_chunk, const MaterialParams<Real>& material) {
    const auto n = static_cast<std::uint32_t>(batch.position.size());
    const std::uint32_t count = (n + kLanes - 1) / kLanes;
    std::vector<Chunk> chunks(count);
    std::vector<std::uint32_t> ids(std::size_t{count} * kLanes);
    for (std::uint32_t i = 0; i < count * kLanes; ++i) ids[i] = first_id + i;
    for (std::uint32_t c = 0; c < count; ++c)
      chunks[c] = {0, batch.material, std::min<std::uint32_t>(kLanes, n - c * kLanes), 0};
    chunks_.upload(chunks, first_chunk);
    id_.upload(ids, std::size_t{first_chunk} * kLanes);

    Real plastic[2];
    initial_plastic_state<Real, D>(material, plastic);
    if (!needs_deformation_gradient(material.model))
      plastic[0] = static_cast<Real>(std::pow(batch.stretch, D));
    const auto velocity = [&](std::uint32_t i, int a) {
      return batch.velocity[i][static_cast<std::size_t>(a)];
    };
    upload(kX, first_chunk, n,
           [&](std::uint32_t i, int a) { return batch.position[i][static_cast<std::size_t>(a)]; });
    upload(kV, first_chunk, n, velocity);
    upload(kCoefficients, first_chunk, n,
           [&](std::uint32_t i, int k) { return affine_mode(batch, i, k); });
    upload(kF, first_chunk, n,
           [&](std::uint32_t, int k) { return k % (D + 1) == 0 ? batch.stretch : 0.0; });
    upload(kPlastic, first_chunk, n,
           [&](std::uint32_t, int k) { return static_cast<double>(plastic[k]); });
    upload(kStress, first_chunk, n, [](std::uint32_t, int) { return 0.0; });
    upload(kMass, first_chunk, n, [&](std::uint32_t, int) { return batch.mass; });
    upload(kVolume, first_chunk, n, [&](std::uint32_t, int) { return batch.volume; });
    return count;
  }

  // Where the linear mode z_axis is stored, and the scale (dx) that makes a gradient a coefficient.
  // Empty without affine modes.
  void set_linear_modes(const std::vector<int>& modes, double scale) {
    linear_modes_ = modes;
    linear_scale_ = scale;
  }

  std::vector<Chunk> chunks(std::uint32_t n) const { return chunks_.download(n); }
  std::vector<std::uint32_t> ids(std::uint32_t n_chunks) const {
    return id_.download(std::size_t{n_chunks} * kLanes);
  }
  std::vector<std::uint32_t> late_marks(std::uint32_t n_chunks) const {
    return late_.download(n_chunks);
  }
  void set_late_marks(const std::vector<std::uint32_t>& marks) { late_.upload(marks); }
  enum Channel { kX, kV, kCoefficients, kF, kPlastic, kStress, kMass, kVolume, kChannels };
  bool has(Channel c) const { return components_[c] > 0; }
  int components(Channel c) const { return components_[c]; }
  std::vector<Real> download(Channel c, std::uint32_t n_chunks) const {
    return channels_[c].download(std::size_t{n_chunks} * kLanes * components_[c]);
  }
  void upload_raw(Channel c, std::span<const Real> values) { channels_[c].upload(values); }

  // Lanes without a particle are written as zero: what lies in them depends on steps that a resumed
  // run never made. So are velocities, coefficients and stresses between fused steps (`carried`),
  // but for those of late particles.
  void save(ByteWriter& out, std::uint32_t n_chunks, bool carried) const {
    const std::vector<Chunk> layout = chunks(n_chunks);
    const std::vector<std::uint32_t> late =
        carried ? late_marks(n_chunks) : std::vector<std::uint32_t>{};
    out.values(std::span<const Chunk>(layout));
    std::vector<std::uint32_t> held(n_chunks);
    for (std::uint32_t c = 0; c < n_chunks; ++c)
      held[c] = static_cast<std::uint32_t>((std::uint64_t{1} << layout[c].count) - 1);
    save_rows(out, held, ids(n_chunks), 1);
    for (int c = 0; c < kChannels; ++c)
      if (components_[c] > 0)
        save_rows(out, carried && on_the_grid(c) ? late : held,
                  download(static_cast<Channel>(c), n_chunks), components_[c]);
  }
  // The rest of what `save` wrote, after `layout`, which the caller has read and checked; ids must
  // be below `id_end`.
  void load(ByteReader& in, const std::vector<Chunk>& layout, std::uint32_t id_end) {
    const auto ids = in.values<std::uint32_t>();
    if (std::any_of(ids.begin(), ids.end(), [=](std::uint32_t id) { return id >= id_end; }))
      fail_to_load();
    if (ids.size() != layout.size() * kLanes) fail_to_load();
    reserve(static_cast<std::uint32_t>(layout.size()));
    chunks_.upload(layout);
    id_.upload(ids);
    for (int c = 0; c < kChannels; ++c)
      if (components_[c] > 0) load_into(channels_[c], in, layout.size() * components_[c]);
  }

  std::size_t bytes() const {
    std::size_t sum = chunks_.bytes() + id_.bytes() + slot_block_.bytes() + order_.bytes() +
                      late_.bytes() + spare_.bytes();
    for (const auto& channel : channels_) sum += channel.bytes();
    return sum;
  }
  // Bytes per particle slot beside the chunk it lies in, for estimates before anything is
  // allocated.
  std::size_t bytes_per_slot() const {
    return saved_bytes_per_slot() + static_cast<std::size_t>(spare_components_) * sizeof(Real) +
           2 * sizeof(std::uint32_t);
  }
  // The part of it that a saved state holds: channels and ids.
  std::size_t saved_bytes_per_slot() const {
    std::size_t reals = 0;
    for (int c : components_) reals += static_cast<std::size_t>(c);
    return reals * sizeof(Real) + sizeof(std::uint32_t);
  }

 private:
  template <class T>
  void resize(Buffer<Exec, T>& buffer, std::size_t size) {
    if (!buffer.empty()) return buffer.resize(size);
    buffer = Buffer<Exec, T>(exec_, size);
    buffer.zero();
  }
  template <class T>
  static void load_into(Buffer<Exec, T>& buffer, ByteReader& in, std::size_t rows) {
    const auto values = in.values<T>();
    if (values.size() != rows * kLanes) fail_to_load();
    buffer.upload(values);
  }
  [[noreturn]] static void fail_to_load() {
    throw Error(ErrorCategory::kFile,
                "the saved state has other particle channels than this scene");
  }
  // The lanes whose bit is set in `held`, a word per chunk; zeros for the others.
  template <class T>
  static void save_rows(ByteWriter& out, const std::vector<std::uint32_t>& held,
                        std::vector<T> values, int components) {
    for (std::uint32_t c = 0; c < held.size(); ++c)
      for (int k = 0; k < components; ++k)
        for (int lane = 0; lane < kLanes; ++lane)
          if ((held[c] >> lane & 1u) == 0)
            channel_row(values.data(), c, components, k)[lane] = T(0);
    out.values(std::span<const T>(values));
  }
  // What a fused step leaves on the grid instead of with the particles.
  bool on_the_grid(int c) const {
    return (c == kV && !needs_.velocity) || c == kCoefficients || c == kStress;
  }
  // A channel as wide as the spare changes places with it; a narrower one is copied back.
  void take_from_spare(Buffer<Exec, Real>& channel, int components, const StepControl* control,
                       const std::uint32_t* skip) {
    if (components == spare_components_ && !Exec::kIsCuda)
      swap_unless(*skip, channel);
    else
      copy_chunks(exec_, spare_.data(), components, channel.data(), capacity_, control, skip);
  }
  // On the CPU the flag can be read, so a skipped permutation leaves the channel where it is.
  void swap_unless(std::uint32_t skip, Buffer<Exec, Real>& channel) {
    if (skip == 0) channel.swap(spare_);
  }
  template <class F>
  void upload(Channel c, std::uint32_t first_chunk, std::uint32_t n, F&& value) {
    const int k = components_[c];
    if (k == 0) return;
    const std::uint32_t count = (n + kLanes - 1) / kLanes;
    std::vector<Real> rows(std::size_t{count} * kLanes * k, Real(0));
    for (std::uint32_t i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j) channel_at(rows.data(), i, k, j) = static_cast<Real>(value(i, j));
    channels_[c].upload(rows, std::size_t{first_chunk} * kLanes * k);
  }
  double affine_mode(const ParticleBatch& batch, std::uint32_t i, int k) const {
    if (batch.gradient.empty()) return 0;
    const int mode = 1 + k / D, a = k % D;
    for (std::size_t b = 0; b < linear_modes_.size(); ++b)
      if (linear_modes_[b] == mode)
        return linear_scale_ * batch.gradient[i][static_cast<std::size_t>(a) * 3 + b];
    return 0;
  }

  Exec& exec_;
  ChannelNeeds needs_;
  std::array<int, kChannels> components_{};
  int spare_components_ = 0;
  std::uint32_t capacity_ = 0;
  std::vector<int> linear_modes_;
  double linear_scale_ = 0;
  Buffer<Exec, Chunk> chunks_;
  Buffer<Exec, std::uint32_t> id_, slot_block_, order_, late_;
  Buffer<Exec, Real> channels_[kChannels];
  Buffer<Exec, Real> spare_;
};

}  // namespace firn

// The particles of one simulation in a backend's memory: chunked channels
// (kernels/fields/particles.h), and how a new layout is brought about: from bank to bank where
// fused steps leave one free, otherwise in place, through a spare buffer.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "kernels/exec/buffer.h"
#include "kernels/fields/particles.h"
#include "kernels/grid/rebuild.h"
#include "kernels/materials/material.h"
#include "kernels/step/control.h"
#include "kernels/transfer/transfer.h"
#include "src/state/batch_values.h"
#include "src/state/channel_plan.h"
#include "src/state/heat_model.h"
#include "src/state/spare_rows.h"

namespace firn {

// The chunks of a store that hold particles.
struct ChunkSpan {
  std::uint32_t first = 0, count = 0;
};
inline ChunkSpan chunks_of(const StepControl& c) { return {c.first_chunk, c.n_chunks}; }

template <class Exec, int D, class Real>
class ParticleStore {
 public:
  ParticleStore(Exec& exec, const ChannelNeeds& needs) : exec_(exec), plan_(needs) {}

  std::uint32_t capacity() const { return capacity_; }  // chunks, of each bank
  std::uint64_t slots() const { return std::uint64_t{capacity_} * kLanes; }

  ParticleView<Real> view() {
    ParticleView<Real> v;
    v.chunks = chunks_.data();
    v.id = id_.data();
    v.x = channels_[kX].data();
    v.v = guest(kV);
    v.coefficients = guest(kCoefficients);
    v.displacement = channels_[kDisplacement].data();
    v.history = channels_[kHistory].data();
    v.stress.singles = plan_.single_guests();
    for (int s = 0; s < v.stress.singles; ++s) v.stress.single[s] = guest(single(s));
    v.stress.rest = guest(kStress);
    v.mass = channels_[kMass].data();
    v.volume = channels_[kVolume].data();
    if (!banked()) v.gradient = spare_.data();
    v.coefficient_modes = plan_.coefficient_modes();
    v.history_values = plan_.history_values();
    v.late = late_.data();
    return v;
  }

  // Room for at least `chunks` chunks. Particles keep their places, counted from the first chunk;
  // that becomes chunk 0, whichever it was: see StepControl::first_chunk.
  void reserve(std::uint32_t chunks, std::uint32_t& first_chunk) {
    if (chunks <= capacity_) return;
    const std::uint32_t before = std::exchange(capacity_, chunks);
    const bool second = std::exchange(first_chunk, 0) != 0;
    const auto banks = static_cast<std::size_t>(plan_.banks());
    enlarge(chunks_, banks, before, second, 1);
    enlarge(id_, banks, before, second, kLanes);
    if (banked()) enlarge(late_, banks, before, second, 1);
    for (int c = 0; c < kParticleChannels; ++c) {
      const auto own = static_cast<std::size_t>(plan_.own_components(c));
      if (own > 0)
        enlarge(channels_[c], plan_.on_the_grid(c) ? 1 : banks, before, second, own * kLanes);
    }
    // Scratch keeps nothing: free it before the larger one is there.
    for (auto* scratch : {&slot_block_, &order_}) {
      *scratch = {};
      *scratch = Buffer<Exec, std::uint32_t>(exec_, slots());
    }
    // CUDA's sort reads it even while the old layout stays, and nothing has been put into it.
    if (Exec::kIsCuda) slot_block_.zero();
    spare_ = {};
    spare_ = Buffer<Exec, Real>(exec_, slots() * spare_components());
    spare_.zero();
  }

  void fill(RebuildView& scratch) {
    scratch.max_chunks = capacity_;
    scratch.banks = banked();
    scratch.slot_block = slot_block_.data();
    scratch.order = order_.data();
    scratch.sort_spare = reinterpret_cast<std::uint32_t*>(spare_.data());
  }

  // Brings what outlives a fused step from the other bank, which held the particles until
  // rebuild_layout found the new layout, to where they belong now. Does nothing unless that layout
  // changed the bank.
  void change_bank(const RebuildView& scratch, const StepControl* control) {
    if (!banked()) return;
    RowMoves<Real> moves;
    for (int c = 0; c < kParticleChannels; ++c) {
      const int n = plan_.components(c);
      if (n == 0 || plan_.on_the_grid(c)) continue;
      Real* data = channels_[c].data();
      moves.reals[moves.count++] = {{data, n, Bank::kOther}, {data, n, Bank::kLive}, n};
    }
    moves.ids = {{id_.data(), 1, Bank::kOther}, {id_.data(), 1, Bank::kLive}, 1};
    permute_rows(exec_, scratch, chunks_.data(), moves, control, &control->skip_bank_change);
  }
  // Brings every channel into a layout that kept the bank. Does nothing after another one.
  void permute_in_place(const RebuildView& scratch, const StepControl* control) {
    for_each_part([&](const Part& part) {
      if (can_swap(part)) permute_by_swap(scratch, part, control);
    });
    SpareRows<Real> rows(spare_.data(), plan_.spare_components());
    const auto move = [&] {
      const std::uint32_t* skip = &control->skip_permute;
      permute_rows(exec_, scratch, chunks_.data(), rows.there(), control, skip);
      copy_rows(exec_, scratch, rows.back(), control, skip);
      rows.clear();
    };
    for_each_part([&](const Part& part) {
      if (can_swap(part)) return;
      for (int k = 0; k < part.components;) {
        if (rows.full()) move();
        k += rows.take(part.rows, k, part.components - k);
      }
    });
    if (rows.full()) move();
    rows.take_ids({id_.data(), 1, Bank::kLive});
    move();
  }

  // The permutation of the last layout and the marks of those whose momentum is not on the grid.
  LateParticles late() const { return {order_.data(), late_.data()}; }

  // Writes a batch into new chunks behind those that hold particles; returns how many it took.
  std::uint32_t append(const ParticleBatch& batch, std::uint32_t first_id, ChunkSpan present,
                       const MaterialParams<Real>& material) {
    const auto n = static_cast<std::uint32_t>(batch.position.size());
    const std::uint32_t count = (n + kLanes - 1) / kLanes;
    std::vector<Chunk> chunks(count);
    std::vector<std::uint32_t> ids(std::size_t{count} * kLanes);
    for (std::uint32_t i = 0; i < count * kLanes; ++i) ids[i] = first_id + i;
    for (std::uint32_t c = 0; c < count; ++c)
      chunks[c] = {0, batch.material, std::min<std::uint32_t>(kLanes, n - c * kLanes), 0};
    const std::uint32_t first = present.first + present.count;
    chunks_.upload(chunks, first);
    id_.upload(ids, std::size_t{first} * kLanes);

    Real history[history_capacity<D>()];
    start_history<Real, D>(material.model, history, batch.stretch);
    const auto velocity = [&](std::uint32_t i, int a) {
      return batch.velocity[i][static_cast<std::size_t>(a)];
    };
    const auto put = [&](ParticleChannel c, auto&& value) { upload(c, present, n, value); };
    put(kX, [&](std::uint32_t i, int a) { return batch.position[i][static_cast<std::size_t>(a)]; });
    put(kV, velocity);
    put(kCoefficients, [&](std::uint32_t i, int k) { return affine_mode(batch, i, k); });
    put(kDisplacement, [&](std::uint32_t i, int k) { return displacement_of<D>(batch, i, k); });
    put(kHistory, [&](std::uint32_t i, int k) {
      return history_of(material.model, batch, i, k, static_cast<double>(history[k]));
    });
    put(kStress, [&](std::uint32_t i, int k) { return stress_of<D>(batch, i, k); });
    put(kMass, [&](std::uint32_t, int) { return batch.mass; });
    put(kVolume, [&](std::uint32_t i, int) { return volume_at_rest(batch, i); });
    put(kHeat, [&](std::uint32_t i, int k) {
      const HeatState<Real> s = initial_heat(batch, i, first_id + i);
      if (k == kHeatLogVolume) return D * std::log(batch.stretch);
      if (k == kHeatRest) return 0.0;
      return k == 0 ? static_cast<double>(s.enthalpy) : s.liquid ? 1.0 : 0.0;
    });
    return count;
  }

  // Where the linear mode z_axis is stored, and the scale (dx) that makes a gradient a coefficient.
  // Empty without affine modes.
  void set_linear_modes(const std::vector<int>& modes, double scale) {
    linear_modes_ = modes;
    linear_scale_ = scale;
  }

  void set_heat_model(const HeatModel<Real>& model) { heat_model_ = model; }
  // What the spare holds for two operators, the velocity gradients, becomes 0.
  void clear_spare() { spare_.zero(); }
  // The channel of enthalpies and phases.
  Real* heat() { return channels_[kHeat].data(); }

  std::vector<Chunk> chunks(ChunkSpan at) const { return chunks_.download(at.count, at.first); }
  std::vector<std::uint32_t> ids(ChunkSpan at) const {
    return id_.download(std::size_t{at.count} * kLanes, std::size_t{at.first} * kLanes);
  }
  std::vector<std::uint32_t> late_marks(ChunkSpan at) const {
    return late_.download(at.count, at.first);
  }
  void set_late_marks(const std::vector<std::uint32_t>& marks) { late_.upload(marks); }
  bool has(ParticleChannel c) const { return plan_.components(c) > 0; }
  int components(ParticleChannel c) const { return plan_.components(c); }
  // Whether fused steps leave the channel as it is.
  bool is_idle(ParticleChannel c) const { return plan_.on_the_grid(c); }

  // All components of a channel, chunk by chunk.
  std::vector<Real> download(ParticleChannel c, ChunkSpan at) const {
    const int n = plan_.components(c);
    std::vector<Real> rows(std::size_t{at.count} * kLanes * static_cast<std::size_t>(n));
    const Parts parts = parts_of(c);
    int k = 0;
    for (int p = 0; p < parts.count; k += parts.part[p++].components)
      download(parts.part[p], at, rows, n, k);
    return rows;
  }
  // The same for some of the chunks, from the `skipped`-th one on.
  void upload_raw(ParticleChannel c, ChunkSpan at, std::span<const Real> rows,
                  std::uint32_t skipped = 0) {
    const Parts parts = parts_of(c);
    int k = 0;
    for (int p = 0; p < parts.count; k += parts.part[p++].components)
      upload(parts.part[p], first_of(parts.part[p].rows.bank, at.first) + skipped, rows,
             plan_.components(c), k);
  }

  // The table of chunks and the ids, from those chunks on.
  void set_layout(std::span<const Chunk> layout, std::span<const std::uint32_t> ids,
                  std::uint32_t first) {
    chunks_.upload(layout, first);
    id_.upload(ids, std::size_t{first} * kLanes);
  }
  const Chunk* chunk_table() const { return chunks_.data(); }
  const std::uint32_t* id_rows() const { return id_.data(); }
  // Where a channel lies whose components lie together: rows of `stride` components for each chunk,
  // those of the particles from data on. Without data where its components lie apart.
  struct Whole {
    const Real* data = nullptr;
    int stride = 0;
  };
  Whole whole(ParticleChannel c, ChunkSpan at) const {
    const Parts parts = parts_of(c);
    if (parts.count != 1) return {};
    const ParticleRows<Real>& rows = parts.part[0].rows;
    const std::size_t chunk = static_cast<std::size_t>(rows.stride) * kLanes;
    return {rows.data + first_of(rows.bank, at.first) * chunk, rows.stride};
  }

  std::size_t bytes() const {
    std::size_t sum = chunks_.bytes() + id_.bytes() + slot_block_.bytes() + order_.bytes() +
                      late_.bytes() + spare_.bytes();
    for (const auto& channel : channels_) sum += channel.bytes();
    return sum;
  }

 private:
  // Components that lie together.
  struct Part {
    ParticleRows<Real> rows;
    int components;
  };
  struct Parts {
    Part part[DividedChannel<Real>::kMaxSingles + 1];
    int count = 0;
  };

  HeatState<Real> initial_heat(const ParticleBatch& batch, std::uint32_t i,
                               std::uint32_t id) const {
    const bool known = !batch.temperature.empty();
    return heat_model_.initial(batch.material, id, batch.phase,
                               known ? std::optional(batch.temperature[i]) : std::nullopt);
  }
  bool banked() const { return plan_.banks() > 1; }
  std::size_t spare_components() const {
    return static_cast<std::size_t>(plan_.spare_components());
  }

  // The s-th of the channels of one component that a component of the stress is a guest of.
  ParticleRows<Real> single(int s) const {
    const Real* owner[] = {channels_[kMass].data(), channels_[kVolume].data(),
                           reinterpret_cast<const Real*>(id_.data())};
    return {const_cast<Real*>(owner[s]), 1, Bank::kOther};
  }
  // Where the components of a channel lie that are not single guests.
  ParticleRows<Real> rows_of(int c) const {
    const int owner = plan_.owner(c), stride = plan_.own_components(owner);
    const Bank bank = owner != c ? Bank::kOther : plan_.on_the_grid(c) ? Bank::kNone : Bank::kLive;
    return {const_cast<Real*>(channels_[owner].data()), stride, bank};
  }
  Parts parts_of(int c) const {
    Parts parts;
    const int singles = c == kStress ? plan_.single_guests() : 0;
    for (int s = 0; s < singles; ++s) parts.part[parts.count++] = {single(s), 1};
    if (plan_.components(c) > singles)
      parts.part[parts.count++] = {rows_of(c), plan_.components(c) - singles};
    return parts;
  }
  GuestChannel<Real> guest(int c) const { return guest(rows_of(c)); }
  GuestChannel<Real> guest(const ParticleRows<Real>& rows) const {
    GuestChannel<Real> channel(rows.data);
    if (!banked() || rows.bank == Bank::kLive) return channel;
    channel.capacity = capacity_;
    channel.from_first = rows.bank == Bank::kOther ? capacity_ : 0;
    channel.from_second = 0u - capacity_;
    return channel;
  }
  // The chunk at which rows begin while the bank that begins at `first` holds the particles.
  std::size_t first_of(Bank bank, std::uint32_t first) const {
    return bank == Bank::kLive ? first : bank == Bank::kOther ? capacity_ - first : 0;
  }

  template <class F>
  void for_each_part(F&& f) const {
    for (int c = 0; c < kParticleChannels; ++c) {
      const Parts parts = parts_of(c);
      for (int p = 0; p < parts.count; ++p) f(parts.part[p]);
    }
  }
  // A channel as wide as the spare changes places with it, on the CPU, where the flag can be read.
  bool can_swap(const Part& part) const {
    return !Exec::kIsCuda && part.components == part.rows.stride &&
           part.components == plan_.spare_components() && !banked();
  }
  void permute_by_swap(const RebuildView& scratch, const Part& part, const StepControl* control) {
    const std::uint32_t& skip = control->skip_permute;
    RowMoves<Real> there;
    there.reals[there.count++] = {
        part.rows, {spare_.data(), part.components, Bank::kNone}, part.components};
    permute_rows(exec_, scratch, chunks_.data(), there, control, &skip);
    if (skip != 0) return;
    for (auto& channel : channels_)
      if (channel.data() == part.rows.data) channel.swap(spare_);
  }

  // A larger buffer of `banks` equal parts; the one that held the particles comes first.
  template <class T>
  void enlarge(Buffer<Exec, T>& buffer, std::size_t banks, std::size_t chunks, bool second,
               std::size_t per_chunk) {
    Buffer<Exec, T> larger(exec_, banks * capacity_ * per_chunk);
    larger.zero();
    for (std::size_t b = 0; b < banks && chunks > 0; ++b) {
      const std::size_t to = banks > 1 && second ? 1 - b : b;
      exec_.copy(larger.data() + to * capacity_ * per_chunk, buffer.data() + b * chunks * per_chunk,
                 chunks * per_chunk * sizeof(T));
    }
    buffer.swap(larger);
  }
  // A part of a channel of n components, its component k there, between the store and `rows`.
  void download(const Part& part, ChunkSpan at, std::vector<Real>& rows, int n, int k) const {
    const std::size_t width = static_cast<std::size_t>(part.components) * kLanes;
    const Real* from = part.rows.data + first_of(part.rows.bank, at.first) * width;
    if (rows.empty()) return;
    if (part.components == n) return exec_.download(rows.data(), from, rows.size() * sizeof(Real));
    std::vector<Real> own(at.count * width);
    exec_.download(own.data(), from, own.size() * sizeof(Real));
    for (std::uint32_t c = 0; c < at.count; ++c)
      std::copy_n(own.data() + c * width, width, channel_row(rows.data(), c, n, k));
  }
  void upload(const Part& part, std::size_t first, std::span<const Real> rows, int n, int k) {
    if (rows.empty()) return;
    const std::size_t width = static_cast<std::size_t>(part.components) * kLanes;
    Real* to = part.rows.data + first * width;
    if (part.components == n) return exec_.upload(to, rows.data(), rows.size_bytes());
    const std::size_t count = rows.size() / (static_cast<std::size_t>(n) * kLanes);
    std::vector<Real> own(count * width);
    for (std::uint32_t c = 0; c < count; ++c)
      std::copy_n(channel_row(rows.data(), c, n, k), width, own.data() + c * width);
    exec_.upload(to, own.data(), own.size() * sizeof(Real));
  }
  template <class F>
  void upload(ParticleChannel c, ChunkSpan present, std::uint32_t n, F&& value) {
    const int k = plan_.components(c);
    if (k == 0) return;
    const std::uint32_t count = (n + kLanes - 1) / kLanes;
    std::vector<Real> rows(std::size_t{count} * kLanes * static_cast<std::size_t>(k), Real(0));
    for (std::uint32_t i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j) channel_at(rows.data(), i, k, j) = static_cast<Real>(value(i, j));
    upload_raw(c, present, rows, present.count);
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
  ChannelPlan<D, Real> plan_;
  std::uint32_t capacity_ = 0;
  std::vector<int> linear_modes_;
  double linear_scale_ = 0;
  HeatModel<Real> heat_model_;
  Buffer<Exec, Chunk> chunks_;
  Buffer<Exec, std::uint32_t> id_, slot_block_, order_, late_;
  Buffer<Exec, Real> channels_[kParticleChannels];
  Buffer<Exec, Real> spare_;
};

}  // namespace firn

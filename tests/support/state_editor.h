// Finds particles in the bytes of Simulation::save_state and changes them, to put faults into a
// running simulation.
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "kernels/fields/particles.h"
#include "kernels/step/control.h"
#include "src/run/particle_owners.h"
#include "src/run/stepper.h"
#include "src/scene/solve_sums.h"

namespace firn::test {

// With a checksum that holds: of what has been changed on purpose.
inline std::vector<std::byte> with_checksum(std::vector<std::byte> state) {
  constexpr std::size_t kMagic = 8;
  const std::size_t size = state.size() - kMagic - sizeof(std::uint32_t);
  const auto crc =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(state.data()), size));
  std::memcpy(state.data() + size, &crc, sizeof crc);
  return state;
}

class StateEditor {
 public:
  explicit StateEditor(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
    at_ = sizeof(int) + 2 * sizeof(std::uint32_t) + sizeof(double);
    pass_values<IdRange>();
    pass_values<std::uint64_t>();  // emissions of the sources
    at_ += sizeof(double) + sizeof(Totals) + sizeof(double) + sizeof(FrameSolves);
    at_ += sizeof(std::uint32_t) + 2 * sizeof(double) + sizeof(std::int64_t);
    at_ += sizeof(EnergyBalance);
    at_ += sizeof(int) + sizeof(std::size_t) + sizeof(double);
    at_ += 2 * sizeof(std::uint64_t);  // which part of a split domain
    control_ = at_;
    at_ += sizeof(StepControl);
    pass_values<double>();  // the materials in numbers
    chunk_count_ = at_;
    chunks_ = pass_values<Chunk>();
    ids_ = pass_values<std::uint32_t>();
    channels_ = at_;
  }

  std::vector<std::byte> bytes() const { return with_checksum(bytes_); }
  StepControl control() const { return read<StepControl>(control_); }
  void set_control(const StepControl& c) { write(control_, c); }
  Chunk chunk(std::uint32_t i) const { return read<Chunk>(chunks_ + i * sizeof(Chunk)); }
  void set_chunk(std::uint32_t i, const Chunk& chunk) { write(chunks_ + i * sizeof(Chunk), chunk); }
  std::size_t chunk_count_offset() const { return chunk_count_; }
  void set_id(std::uint32_t slot, std::uint32_t id) { write(ids_ + slot * sizeof id, id); }
  std::uint32_t id(std::uint32_t slot) const {
    return read<std::uint32_t>(ids_ + slot * sizeof(std::uint32_t));
  }

  // Component k of a particle in the channel that is the `channel`-th one saved (0: position, 1:
  // velocity, ...).
  template <class Real>
  std::size_t offset(int channel, std::uint32_t slot, int k) const {
    std::size_t at = channels_;
    for (int c = 0; c < channel; ++c)
      at += sizeof(std::uint64_t) + read<std::uint64_t>(at) * sizeof(Real);
    const std::uint64_t lanes = std::uint64_t{control().n_chunks} * kLanes;
    const auto components = static_cast<std::uint32_t>(read<std::uint64_t>(at) / lanes);
    const std::size_t index =
        (std::size_t{slot / kLanes} * components + static_cast<std::size_t>(k)) * kLanes;
    return at + sizeof(std::uint64_t) + (index + slot % kLanes) * sizeof(Real);
  }
  template <class Real>
  void set(int channel, std::uint32_t slot, int k, Real value) {
    write(offset<Real>(channel, slot, k), value);
  }

 private:
  template <class T>
  T read(std::size_t at) const {
    if (at + sizeof(T) > bytes_.size()) throw std::out_of_range("beyond the saved state");
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }
  template <class T>
  void write(std::size_t at, const T& value) {
    if (at + sizeof(T) > bytes_.size()) throw std::out_of_range("beyond the saved state");
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  // Passes an array; returns where its first element lies.
  template <class T>
  std::size_t pass_values() {
    const auto count = read<std::uint64_t>(at_);
    const std::size_t first = at_ + sizeof(std::uint64_t);
    at_ = first + count * sizeof(T);
    return first;
  }

  std::vector<std::byte> bytes_;
  std::size_t at_ = 0, control_ = 0, chunk_count_ = 0, chunks_ = 0, ids_ = 0, channels_ = 0;
};

}  // namespace firn::test

// The seam between partitions: devices, or processes, that share a domain. A partition owns blocks
// of the grid and the particles that are at home in them; what it adds to nodes of another one goes
// there, and what it reads of them comes from there. Stages and the loop over steps call this on
// the host. On one device it does nothing, and no launch is another one for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/step/control.h"

namespace firn {

// Values on the blocks of a partition's grid in its device's memory: `per_block` of them for each,
// in the order of the blocks.
template <class T>
struct BlockRows {
  T* data = nullptr;
  std::size_t per_block = 0;
};

using Message = std::vector<std::byte>;

// A partition and its connection to the others. They make the same calls in the same order; but for
// those of the first and the last group, a call waits until all have made it.
template <class Real>
class Partition {
 public:
  virtual ~Partition() = default;

  // Whether there are others. Stages ask before they go another way than on one device.
  virtual bool is_split() const { return true; }
  virtual std::size_t count() const = 0;
  virtual std::size_t rank() const = 0;
  // Whose a block is, by its key (fields/blocks.h). What ranks below own comes before what this one
  // owns in the order of keys.
  virtual std::size_t owner(std::uint64_t key) const = 0;

  // The blocks of this partition's grid, by ascending keys, until the next layout. Those that
  // others have too are its halo: the copy of the owner counts or, where it has none, that of the
  // lowest rank.
  virtual void meet(std::span<const std::uint64_t> keys) = 0;
  // Halo: adds the copies to the one that counts, and sets them to zero.
  virtual void add_halo(BlockRows<Real> rows) = 0;
  // Halo: brings the values of the one that counts to the others.
  virtual void copy_halo(BlockRows<Real> rows) = 0;
  // What the control blocks say together, by the rule of `combine`.
  virtual void reduce(StepControl& control) = 0;
  // Sums over the partitions, in the order of their ranks.
  virtual void sum(std::span<double> values) = 0;
  // Gives each partition a message, its own one included, and returns what each has for this one.
  virtual std::vector<Message> exchange(std::vector<Message> messages) = 0;

  // Sets to zero what belongs to copies that do not count, so that sums have every block once.
  virtual void count_once(BlockRows<double> rows) = 0;
};

// All there is: one device.
template <class Real>
class WholeDomain final : public Partition<Real> {
 public:
  bool is_split() const override { return false; }
  std::size_t count() const override { return 1; }
  std::size_t rank() const override { return 0; }
  std::size_t owner(std::uint64_t) const override { return 0; }
  void meet(std::span<const std::uint64_t>) override {}
  void add_halo(BlockRows<Real>) override {}
  void copy_halo(BlockRows<Real>) override {}
  void reduce(StepControl&) override {}
  void sum(std::span<double>) override {}
  std::vector<Message> exchange(std::vector<Message> messages) override { return messages; }
  void count_once(BlockRows<double>) override {}
};

// What one partition has found holds for all: flags that stop a step, faults, what limits dt. Of
// the particles only whether there are any (BeginStep asks that): `n_particles` is the largest.
inline void combine(StepControl& c, const StepControl& other) {
  struct Flags {
    void atomic_or(std::uint32_t& target, std::uint32_t value) const { target |= value; }
  };
  if (other.stop != 0) raise(Flags{}, &c, other.stop);
  c.fault = std::min(c.fault, other.fault);
  c.n_particles = std::max(c.n_particles, other.n_particles);
  c.overshoot = std::max(c.overshoot, other.overshoot);
  c.speed_squared = std::max(c.speed_squared, other.speed_squared);
  c.force_squared = std::max(c.force_squared, other.force_squared);
  for (int m = 0; m < kMaxMaterials; ++m)
    c.wave_squared[m] = std::max(c.wave_squared[m], other.wave_squared[m]);
  for (int w = 0; w < kMaxMaterials / 32; ++w) c.squeezed[w] |= other.squeezed[w];
}

}  // namespace firn

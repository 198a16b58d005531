// Whether a run makes energy: kinetic, elastic and potential energy together, less what sources
// bring and what moved bodies do, may fall but must not rise.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "firn/simulation.h"
#include "src/state/batch.h"
#include "src/state/bytes.h"

namespace firn {

// Measures the balance at the ends of frames; energy is a state, so no step between them is missed.
// Heights are counted from the lowest corner of the domain, so that what leaves it only lowers the
// balance: it can hide a gain of as much as it takes along. Without a domain a frame in which
// something leaves is a new start.
class EnergyWatch {
 public:
  explicit EnergyWatch(const Scene& scene);

  void emitted(const ParticleBatch& batch);
  // Energy comes or goes in ways that are not known here: the next frame's is the new start.
  void start_anew() { lowest_ = kNone; }
  // Forces or boundaries of the caller's: nothing is measured from here on.
  void give_up() {
    measures_ = false;
    balance_ = {};
  }

  // Sets stats.energy; stats.reactions must still be impulses and work (N s, N m s, J).
  void measure(FrameStats& stats);
  // Throws Error{kDiverged} where the scene asks a run to stop that has gained too much.
  void check(const FrameStats& stats) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);
  const EnergyBalance& balance() const { return balance_; }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  const Scene* scene_;
  bool measures_;
  double datum_ = 0;                     // J/kg
  double lowest_ = kNone, largest_ = 0;  // J
  std::int64_t removed_ = 0;
  EnergyBalance balance_;
};

// "energy has grown by 12 % ...".
std::string describe_growth(const Scene& scene, const EnergyBalance& balance, int frame);

}  // namespace firn

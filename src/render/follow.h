// How the automatic camera keeps in the picture what nothing had foretold: it frames a box whose
// sides only ever move outwards, and only once material is about to leave it, at rates without
// jumps, so that a video neither jitters nor cuts.
#pragma once

#include <span>
#include <vector>

#include "src/render/stage.h"

namespace firn {

class Follower {
 public:
  Follower() = default;
  explicit Follower(const Bounds& first);

  // How far ahead of a picture's time it must know where material will be, frames.
  static constexpr double kAhead = 2;

  // The box to frame at a time that many frames after the picture before; `material`: where it is,
  // and will be kAhead frames later.
  const Bounds& advance(double frames, const Bounds& material);
  const Bounds& shown() const { return shown_; }
  bool has_moved() const { return !(shown_ == first_); }

  static constexpr std::size_t kNumbers = 18;
  std::vector<double> state() const;  // kNumbers of them
  void set_state(std::span<const double> numbers);

 private:
  Bounds first_, shown_, wanted_;
  Bounds rate_{V3d::zero(), V3d::zero()};  // m per frame
};

}  // namespace firn

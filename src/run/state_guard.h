// Whether the state of a simulation means something: what fails half way through a step, or within
// a state that is loaded, leaves one that does not.
#pragma once

#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "firn/error.h"
#include "firn/simulation.h"

namespace firn {

class StateGuard {
 public:
  // Throws Error{kScene} where it does not.
  void require() const {
    if (!lost_.empty())
      throw Error(ErrorCategory::kScene,
                  "the state of this simulation means nothing any more: " + lost_ +
                      "; load a saved state, or make a new simulation");
  }
  // And Error{kScene} within a step.
  void require_whole(const char* what) const {
    require();
    if (within_step_)
      throw Error(ErrorCategory::kScene,
                  std::string(what) + ": the simulation is half way through a step");
  }
  void lose(const std::string& why) {
    if (lost_.empty()) lost_ = why;
  }
  void restore() { lost_.clear(); }

  // What `advance` returns. What fails leaves a state unless that has diverged or `is_half_way`
  // through a step.
  template <class Advance, class IsHalfWay>
  auto advancing(Advance&& advance, IsHalfWay&& is_half_way) {
    require();
    try {
      return advance();
    } catch (const Error& error) {
      if (error.category() == ErrorCategory::kDiverged || is_half_way()) lose(error.what());
      throw;
    } catch (const std::exception& error) {
      if (is_half_way()) lose(error.what());
      throw;
    }
  }
  // What changes the particles, once it is known to be possible: where memory runs out within it,
  // some of them have changed.
  template <class Change>
  void changing(Change&& change) {
    try {
      change();
    } catch (const Error& error) {
      if (error.category() == ErrorCategory::kDevice) lose("out of memory");  // no room for more
      throw;
    } catch (const std::bad_alloc&) {
      lose("out of memory");
      throw;
    }
  }
  // A function of the caller's that is called in the middle of a step, or none.
  template <class Step>
  std::function<void(const Step&)> within_step(std::function<void(const Step&)> function,
                                               const char* what) {
    if (!function) return {};
    return [this, what, function = std::move(function)](const Step& step) {
      within_step_ = true;
      try {
        function(step);
      } catch (...) {
        within_step_ = false;
        lose(std::string(what) + " failed within a step");
        throw;
      }
      within_step_ = false;
    };
  }

 private:
  std::string lost_;  // why; empty: it does
  bool within_step_ = false;
};

}  // namespace firn

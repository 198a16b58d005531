// Own forces and boundaries in Python: what the library hands out in every step, as arrays that
// are made when they are asked for.
#pragma once

#include <cstring>

#include "python/arrays.h"
#include "python/session.h"

namespace firn::python {

// What a callback is handed, of a ForceStep or a BoundaryStep of the library.
template <class Step>
class OwnStep {
 public:
  // `result`: the field that the callback fills.
  OwnStep(Session& session, const Step& step, const WritableField& result)
      : session_(session),
        step_(step),
        // On CUDA host memory is a copy that ends with the step: the arrays get their own.
        copies_(result.device < 0 && session.on_cuda()),
        result_view_(result) {}

  double time() const { return open().time; }
  double dt() const { return open().dt; }
  int dimension() const { return open().dimension; }
  template <class View>
  AnyArray array(View Step::*member, const char* name) {
    const WritableField view = untyped(open().*member);
    return copies_ ? copy_of(view, false) : array_of(view, false, session_.lease(name));
  }
  AnyArray counts() {
    const WritableField view = untyped(open().position);
    return counts_of(view, view.device < 0 ? nb::none() : session_.lease("counts"));
  }
  HostArray occupied() const {
    const WritableField view = untyped(open().position);
    if (view.device >= 0)
      throw Error(ErrorCategory::kScene, "occupied is there in host memory; on CUDA read counts");
    return occupied_lanes_of(view);
  }
  AnyArray result() {
    open();
    if (!result_.is_valid())
      result_ = copies_ ? copy_of(result_view_, true)
                        : array_of(result_view_, true, session_.lease("what a callback fills"));
    return result_;
  }

  // Also `step.result += value`, which has filled it and then assigns it to itself.
  void fill(const nb::object& value) {
    if (value.is(result())) return;
    if (result_view_.device >= 0)
      throw Error(ErrorCategory::kScene,
                  "with memory=\"native\" on CUDA a callback fills the array that it is handed, "
                  "and returns None");
    result().attr("__setitem__")(nb::ellipsis(), value);
  }
  // What the callback has returned is what it fills.
  void take(const nb::object& returned) {
    if (!returned.is_none()) fill(returned);
    if (copies_ && result_.is_valid()) {
      const auto array = nb::cast<nb::ndarray<>>(result_);
      std::memcpy(result_view_.data, array.data(), array.nbytes());
    }
  }
  // After the callback.
  void close() {
    is_open_ = false;
    result_.reset();
  }

 private:
  const Step& open() const {
    if (!is_open_)
      throw Error(ErrorCategory::kScene, "the arrays of a step are there while its callback runs");
    return step_;
  }

  Session& session_;
  Step step_;
  bool copies_, is_open_ = true;
  WritableField result_view_;
  AnyArray result_;
};
using OwnForceStep = OwnStep<ForceStep>;
using OwnBoundaryStep = OwnStep<BoundaryStep>;

// Calls `force(step)` and takes what it returns, if anything, as the accelerations. Throws
// ViewError where it keeps an array.
void ask_force(Session& session, const nb::object& force, const ForceStep& step);
void ask_boundary(Session& session, const nb::object& boundary, const BoundaryStep& step);

}  // namespace firn::python

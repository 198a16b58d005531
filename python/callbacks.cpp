#include "python/callbacks.h"

#include <string>

#include "python/bindings.h"
#include "python/errors.h"

namespace firn::python {
namespace {

template <class Step>
void ask(Session& session, const nb::object& callback, const Step& step,
         const WritableField& result) {
  // Python may keep the object; what it then says is that the step is over.
  const nb::object argument =
      nb::cast(new OwnStep<Step>(session, step, result), nb::rv_policy::take_ownership);
  auto& own = nb::cast<OwnStep<Step>&>(argument);
  try {
    own.take(callback(argument));
  } catch (...) {
    own.close();
    throw;
  }
  own.close();
  session.check_no_views();
}

}  // namespace

void ask_force(Session& session, const nb::object& force, const ForceStep& step) {
  ask(session, force, step, step.acceleration);
}
void ask_boundary(Session& session, const nb::object& boundary, const BoundaryStep& step) {
  ask(session, boundary, step, step.velocity);
}

void bind_callbacks(nb::module_& m) {
  nb::class_<OwnForceStep>(
      m, "ForceStep",
      "What a force is called with in every step. Vectors are arrays of shape (dimension, chunks, "
      "lanes), scalars (chunks, lanes); where a chunk has fewer particles than lanes, the rest "
      "means nothing and may be overwritten. Arrays must not be kept: they show memory that the "
      "next step changes.")
      .def_prop_ro("time", &OwnForceStep::time, "s, at the start of the step.")
      .def_prop_ro("dt", &OwnForceStep::dt, "s, of the step.")
      .def_prop_ro("dimension", &OwnForceStep::dimension, "2 or 3.")
      .def_prop_ro(
          "id", [](OwnForceStep& s) { return s.array(&ForceStep::id, "id"); },
          "Ids of the particles, uint32, shape (chunks, lanes).")
      .def_prop_ro(
          "position", [](OwnForceStep& s) { return s.array(&ForceStep::position, "position"); },
          "m, shape (dimension, chunks, lanes).")
      .def_prop_ro(
          "velocity", [](OwnForceStep& s) { return s.array(&ForceStep::velocity, "velocity"); },
          "m/s, shape (dimension, chunks, lanes); before gravity, which comes on top.")
      .def_prop_ro(
          "mass", [](OwnForceStep& s) { return s.array(&ForceStep::mass, "mass"); },
          "kg, shape (chunks, lanes).")
      .def_prop_rw("acceleration", &OwnForceStep::result, &OwnForceStep::fill,
                   "m/s^2, shape (dimension, chunks, lanes), to be filled in place; 0 at first. "
                   "What the force returns, if not None, is assigned to it.")
      .def_prop_ro("counts", &OwnForceStep::counts, "Particles of each chunk, uint32, (chunks).")
      .def_prop_ro("occupied", &OwnForceStep::occupied,
                   "Which lanes hold a particle, bool, shape (chunks, lanes).");
  nb::class_<OwnBoundaryStep>(
      m, "BoundaryStep",
      "What a boundary on the grid is called with in every step: all nodes of all blocks, as "
      "arrays of shape (dimension, blocks, 64) or (blocks, 64). Arrays must not be kept.")
      .def_prop_ro("time", &OwnBoundaryStep::time, "s, at the start of the step.")
      .def_prop_ro("dt", &OwnBoundaryStep::dt, "s, of the step.")
      .def_prop_ro("dimension", &OwnBoundaryStep::dimension, "2 or 3.")
      .def_prop_ro(
          "position",
          [](OwnBoundaryStep& s) { return s.array(&BoundaryStep::position, "position"); },
          "m, shape (dimension, blocks, 64).")
      .def_prop_ro(
          "mass", [](OwnBoundaryStep& s) { return s.array(&BoundaryStep::mass, "mass"); },
          "kg, shape (blocks, 64); 0 where there is no material.")
      .def_prop_rw("velocity", &OwnBoundaryStep::result, &OwnBoundaryStep::fill,
                   "m/s, shape (dimension, blocks, 64), to be changed in place. What the boundary "
                   "returns, if not None, is assigned to it.");
}

}  // namespace firn::python

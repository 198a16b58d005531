// Sensors: what Simulation.read_sensors and Simulation.record of the package are made of.
#include "firn/sensors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.h"
#include "python/records.h"
#include "python/session.h"

namespace firn::python {

void bind_sensors(nb::module_& m) {
  Record<SensorReading>(m, "SensorReading", "What a sensor has read.")
      .def_ro("sensor", &SensorReading::sensor, "Its index in the scene.")
      .def_ro("time", &SensorReading::time, "s, simulated.")
      .def_ro("values", &SensorReading::values, "One for each column; NaN: nothing is there.");

  nb::class_<Sensors>(m, "Sensors", "The sensors of a scene.")
      .def(nb::init<const Scene&>(), nb::arg("scene"))
      .def("__len__", &Sensors::size)
      .def("name", &Sensors::name, nb::arg("sensor"))
      .def(
          "columns",
          [](const Sensors& sensors, std::size_t sensor) {
            std::vector<std::pair<std::string, std::string>> columns;
            for (const SensorColumn& column : sensors.columns(sensor))
              columns.emplace_back(column.name, column.unit);
            return columns;
          },
          nb::arg("sensor"), "Names and units.")
      .def(
          "read",
          [](Sensors& sensors, Session& s) {
            return s.look(
                [&](const Simulation& simulation) { return sensors.read_on(simulation); });
          },
          nb::arg("simulation"))
      .def(
          "advance_frame",
          [](Sensors& sensors, Session& s, const Callback<StepInfo>& on_step,
             const Callback<FrameStats>& on_frame) {
            std::vector<SensorReading> readings;
            const bool goes_on = s.advance(
                [&](Simulation& simulation, const Observer& observer) {
                  return sensors.advance_frame(
                      simulation, [&](const SensorReading& r) { readings.push_back(r); }, observer);
                },
                object_of<StepInfo>(on_step), object_of<FrameStats>(on_frame));
            return std::pair(goes_on, std::move(readings));
          },
          nb::arg("simulation"), nb::kw_only(), nb::arg("on_step") = nb::none(),
          nb::arg("on_frame") = nb::none());
}

}  // namespace firn::python

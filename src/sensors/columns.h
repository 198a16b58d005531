// The columns of a sensor, as include/firn/sensors.h tells.
#pragma once

#include <vector>

#include "firn/scene.h"
#include "firn/sensors.h"

namespace firn {

// Of SensorKind::kMotion: whether it follows a collider.
inline bool moves_collider(const Sensor& sensor) {
  return sensor.bodies.empty() && sensor.materials.empty();
}

// Throws Error{kScene} if a channel of it is not there.
std::vector<SensorColumn> columns_of(const Scene& scene, const Sensor& sensor);

}  // namespace firn

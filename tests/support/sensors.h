// Sensors built in code.
#pragma once

#include <string>
#include <utility>

#include "firn/scene.h"

namespace firn::test {

inline Sensor sensor(std::string name, SensorKind kind) {
  Sensor s;
  s.name = std::move(name);
  s.kind = kind;
  return s;
}
inline Sensor on_collider(int index) {
  Sensor s = sensor("collider", SensorKind::kCollider);
  s.collider = index;
  return s;
}

}  // namespace firn::test

// Whose contacts a sensor of SensorKind::kContact reads.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

struct SensedContacts {
  std::vector<int> materials{};  // indices in Scene::materials
  std::string why_none{};        // if it can read none
};
// Of a sensor whose indices are there.
SensedContacts sensed_contacts(const Scene& scene, const Sensor& sensor);

}  // namespace firn

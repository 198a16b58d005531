// What `firn info` says about the temperatures and phases of a scene.
#pragma once

#include <string>

#include "firn/scene.h"
#include "src/app/json_out.h"

namespace firn::app {

Json thermal_json(const Scene& scene);   // null unless the integrator is "thermal"
void print_thermal(const Scene& scene);  // nothing unless it is
std::string starting_state(const Scene& scene, const Body& body);  // " at 300 K, solid", or empty
std::string starting_state(const Scene& scene, const Source& source);

}  // namespace firn::app

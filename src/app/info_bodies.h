// What `firn info` tells of colliders that material moves.
#pragma once

#include "src/app/json_out.h"

namespace firn {
struct Scene;
}

namespace firn::app {

// How many there are, and what each weighs. Throws Error{kScene} where there can be no such body.
void print_rigid_bodies(const Scene& scene);
Json rigid_bodies_json(const Scene& scene);

}  // namespace firn::app

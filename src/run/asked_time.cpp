#include "src/run/asked_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/same_time.h"

namespace firn {

void require_ahead(const Scene& scene, double t, const StepControl& now) {
  if (std::isnan(t)) throw Error(ErrorCategory::kScene, "advance_until: the time is not a number");
  const double beyond = traits_of(scene).implicit ? 0 : now.dt;
  if (t < now.time - std::max(beyond, same_time(scene)))
    throw Error(ErrorCategory::kScene,
                fmt::format("advance_until: t = {:.6g} s is past; the simulation is at t = {:.6g} "
                            "s, and only load_state of an earlier state takes it back",
                            t, now.time));
}

}  // namespace firn

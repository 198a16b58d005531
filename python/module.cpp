// The extension module firn._firn: what python/firn makes the package of.
#include "firn/version.h"
#include "python/bindings.h"

NB_MODULE(_firn, m) {
  using namespace firn::python;
  m.doc() = "The bindings under the package firn, which documents them.";
  m.attr("VERSION") = firn::kVersion;
  bind_errors();
  bind_arrays(m);
  bind_scene_settings(m);
  bind_scene(m);
  bind_solves(m);
  bind_stats(m);
  bind_callbacks(m);
  bind_simulation(m);
  bind_sensors(m);
  bind_pictures(m);
  bind_devices(m);
}

// What has been moved from says so, instead of reading memory that it has no more; and can be
// assigned to.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "firn/render.h"
#include "firn/sensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

Scene scene() { return busy_scene(2, Precision::kSingle); }

// What is used after it has been moved from is so on purpose.
template <class T>
T taken(T& from) {
  return std::move(from);
}

void expect_refused(const std::string& what, const std::vector<std::function<void()>>& uses) {
  for (const auto& use : uses)
    expect_error(ErrorCategory::kScene, {what, "has been moved from", "assign one to it"}, use);
}

TEST(MovedFrom, SimulationsSaySo) {
  Simulation first = simulate(scene());
  first.advance_frame();
  Simulation second = taken(first);
  EXPECT_EQ(second.stats().frame, 1);
  expect_refused("simulation", {[&] { first.advance_frame(); },
                                [&] { first.advance_until(1); },
                                [&] { first.advance_steps(1); },
                                [&] { first.time(); },
                                [&] { first.stats(); },
                                [&] { first.snapshot(); },
                                [&] { first.tracers(); },
                                [&] { first.collider_impulses(); },
                                [&] { first.colliders(); },
                                [&] { first.totals(); },
                                [&] { first.device_name(); },
                                [&] { first.on_cuda(); },
                                [&] { first.save_state(); },
                                [&] { first.load_state({}); },
                                [&] { first.fields(); },
                                [&] { first.field_view("position"); },
                                [&] { first.field<float>("position"); },
                                [&] { first.add_particles({}); },
                                [&] { first.remove_particles({}); },
                                [&] { first.set_force({}); },
                                [&] { first.set_grid_boundary({}); },
                                [&] { first.set_collider_motion(0, {}); },
                                [&] { first.set_collider_motion("floor", {}); },
                                [&] { first.time_stages(true); }});
  first = std::move(second);
  EXPECT_TRUE(first.advance_frame());
  EXPECT_EQ(first.stats().frame, 2);
}

TEST(MovedFrom, SoDoWhatLooksAtThem) {
  Simulation simulation = simulate(scene());
  Sensors sensors(scene());
  const Sensors moved = taken(sensors);
  EXPECT_EQ(moved.size(), scene().sensors.size());
  expect_refused("set of sensors",
                 {[&] { sensors.size(); }, [&] { sensors.name(0); }, [&] { sensors.columns(0); },
                  [&] { sensors.read(simulation); }, [&] { sensors.read_on(simulation); },
                  [&] { sensors.advance_frame(simulation, [](const SensorReading&) {}); },
                  [&] { sensors.state(); }, [&] { sensors.set_state({}); }});
  SceneRenderer renderer(scene());
  SceneRenderer other = taken(renderer);
  EXPECT_NO_THROW(other.render(simulation));
  expect_refused("renderer",
                 {[&] { renderer.render(simulation); }, [&] { renderer.render(Shown{}); },
                  [&] { renderer.shown_of(simulation); }, [&] { renderer.look_ahead({}); },
                  [&] { renderer.view_state(); }, [&] { renderer.set_view_state({}); }});
}

}  // namespace
}  // namespace firn::test

#include "firn/sensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "firn/error.h"
#include "src/scene/moved_from.h"
#include "src/scene/placement.h"
#include "src/scene/same_time.h"
#include "src/scene/sensed_contacts.h"
#include "src/scene/shapes.h"
#include "src/scene/unit_direction.h"
#include "src/sensors/columns.h"
#include "src/sensors/gauges.h"
#include "src/sensors/reaction_means.h"

namespace firn {
namespace {

constexpr std::size_t kStateOfOne = 8;  // two times, impulse and its moment

Vec3 upwards(const Scene& scene) {
  const Vec3 down = downwards(scene);
  return {-down[0], -down[1], -down[2]};
}

// As files are held against it: of structs the direction may have any length.
void make_direction(Sensor& sensor, int dimension) {
  const bool is_plane = sensor.kind == SensorKind::kPlane;
  if (!is_plane && (sensor.kind != SensorKind::kHeight || sensor.direction == Vec3{})) return;
  const char* key = is_plane ? "normal" : "up";
  if (!scene::is_direction(sensor.direction))
    throw Error(ErrorCategory::kScene,
                fmt::format("sensor \"{}\": '{}' must be a direction, found a vector of length {}",
                            sensor.name, key, scene::length_of(sensor.direction)));
  if (dimension == 2 && sensor.direction[2] != 0)
    throw Error(ErrorCategory::kScene,
                fmt::format("sensor \"{}\": '{}' must be 0 along z in 2D", sensor.name, key));
  // Those of files are of length one but for rounding, and stay as they are, to the bit.
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  if (std::fabs(scene::length_of(sensor.direction) - 1) > kRounding)
    sensor.direction = scene::unit_direction(sensor.direction);
}

bool is_force(const Sensor& sensor) {
  return sensor.kind == SensorKind::kCollider || sensor.kind == SensorKind::kContact;
}
bool reads_particles(const Sensor& sensor) {
  return !is_force(sensor) && !(sensor.kind == SensorKind::kMotion && moves_collider(sensor));
}

void require_index(const Sensor& sensor, const char* kind, int index, std::size_t count) {
  if (index < 0 || static_cast<std::size_t>(index) >= count)
    throw Error(ErrorCategory::kScene,
                fmt::format("sensor \"{}\": the scene has no {} {}", sensor.name, kind, index));
}
void require_known(const Scene& scene, const Sensor& sensor) {
  if (sensor.kind == SensorKind::kCollider ||
      (sensor.kind == SensorKind::kMotion && moves_collider(sensor)))
    require_index(sensor, "collider", sensor.collider, scene.colliders.size());
  for (const int b : sensor.bodies) require_index(sensor, "body", b, scene.bodies.size());
  for (const int m : sensor.materials) require_index(sensor, "material", m, scene.materials.size());
  for (const int b : sensor.bodies)
    require_index(sensor, "material", scene.bodies[static_cast<std::size_t>(b)].material,
                  scene.materials.size());
}

// Where what a sensor of a force reads is among those of a ReactionMeans: its sum.
std::vector<std::size_t> places_of(const Scene& scene, const Sensor& sensor) {
  if (sensor.kind == SensorKind::kCollider) return {static_cast<std::size_t>(sensor.collider)};
  std::vector<std::size_t> places;
  if (sensor.kind != SensorKind::kContact) return places;
  const SensedContacts contacts = sensed_contacts(scene, sensor);
  if (!contacts.why_none.empty())
    throw Error(ErrorCategory::kScene,
                fmt::format("sensor \"{}\": {}", sensor.name, contacts.why_none));
  for (const int m : contacts.materials)
    places.push_back(scene.colliders.size() + static_cast<std::size_t>(m));
  return places;
}
void add(const Vec3& what, Vec3& to) {
  for (std::size_t i = 0; i < 3; ++i) to[i] += what[i];
}

}  // namespace

class Sensors::Impl {
 public:
  using Take = std::function<void(const SensorReading&)>;

  explicit Impl(const Scene& scene) : scene_(scene), last_(scene.sensors.size()) {
    for (Sensor& sensor : scene_.sensors) {
      if (sensor.name.empty()) sensor.name = fmt::format("sensor{}", columns_.size());
      make_direction(sensor, scene.simulation.dimension);
      columns_.push_back(columns_of(scene, sensor));
      require_known(scene, sensor);
      places_.push_back(places_of(scene, sensor));
      if (sensor.rate && !(*sensor.rate > 0))
        throw Error(ErrorCategory::kScene,
                    fmt::format("sensor \"{}\": its rate must be > 0 readings a second, found {}",
                                sensor.name, *sensor.rate));
      shapes_.push_back(sensor.kind == SensorKind::kRegion
                            ? std::optional(compile_shape(sensor.shape, scene.simulation.dimension,
                                                          scene.grid.dx))
                            : std::nullopt);
    }
  }

  const Scene& scene() const { return scene_; }
  const std::vector<SensorColumn>& columns(std::size_t sensor) const { return columns_[sensor]; }
  void require(std::size_t sensor) const {
    if (sensor >= columns_.size())
      throw Error(ErrorCategory::kScene,
                  fmt::format("there is no sensor {}: the scene has {}", sensor, columns_.size()));
  }
  // That there is what they look at.
  void require_fit(const Simulation& simulation) const {
    const std::size_t colliders = simulation.colliders().size();
    if (colliders != scene_.colliders.size())
      throw Error(ErrorCategory::kScene,
                  fmt::format("sensors: the simulation is of another scene: it has {} colliders, "
                              "theirs has {}",
                              colliders, scene_.colliders.size()));
    const std::size_t touching = simulation.contact_impulses().size();
    for (const std::vector<std::size_t>& places : places_)
      for (const std::size_t place : places)
        if (place >= colliders + touching)
          throw Error(ErrorCategory::kScene,
                      "sensors: the simulation is of another scene: its materials touch nothing");
  }

  std::vector<SensorReading> read(const Simulation& simulation) const {
    require_fit(simulation);
    return read_all(simulation, means_.since_end(simulation));
  }
  std::vector<SensorReading> read_on(const Simulation& simulation) {
    require_fit(simulation);
    return read_all(simulation, means_.since_last(simulation));
  }

  bool advance_frame(Simulation& simulation, const Take& take, const Observer& observer) {
    if (scene_.sensors.empty()) return simulation.advance_frame(observer);
    require_fit(simulation);
    const FrameStats before = simulation.stats();
    const double end = (before.frame + 1) / scene_.simulation.fps;
    // Where frames have passed unseen, or a state was loaded that lies before.
    for (LastRead& last : last_)
      if (std::fabs(last.followed - before.time) > slack() ||
          last.time > simulation.time() + slack())
        last = {before.time, before.time, {}};
    const auto read_due = [&](const std::vector<std::size_t>& due, double time) {
      if (due.empty()) return;
      const std::vector<ColliderImpulse> impulses = impulses_of(simulation);
      const auto force_on = [&](std::size_t sensor) {
        const ColliderImpulse now = sum_for(sensor, impulses);
        const LastRead last = std::exchange(last_[sensor], {time, before.time, now});
        return mean_over(now, last.impulse, time - last.time);
      };
      for (const SensorReading& reading : read_at(simulation, due, time, force_on)) take(reading);
    };
    double now = simulation.time();
    for (double next; (next = next_reading(now)) < end - slack(); now = next) {
      const bool arrived = simulation.advance_until(next, observer);
      if (!arrived && simulation.time() < next - slack()) return false;
      read_due(due(now, next, false), next);
      if (!arrived) return false;
    }
    const bool goes_on = simulation.advance_frame(observer);
    if (simulation.stats().frame > before.frame) {
      read_due(due(now, end, true), end);
      end_frame(simulation, end);
    }
    return goes_on;
  }

  std::vector<double> state() const {
    std::vector<double> numbers;
    for (const LastRead& last : last_) {
      numbers.push_back(last.time);
      numbers.push_back(last.followed);
      for (const Vec3& v : {last.impulse.impulse, last.impulse.angular_impulse})
        numbers.insert(numbers.end(), v.begin(), v.end());
    }
    return numbers;
  }
  void set_state(const std::vector<double>& numbers) {
    if (numbers.size() != kStateOfOne * last_.size())
      throw Error(ErrorCategory::kFile,
                  "the saved state of the sensors is not that of this scene's");
    auto next = numbers.begin();
    for (LastRead& last : last_) {
      last.time = *next++;
      last.followed = *next++;
      for (Vec3* v : {&last.impulse.impulse, &last.impulse.angular_impulse})
        for (double& x : *v) x = *next++;
    }
  }

 private:
  struct LastRead {
    double time = 0;
    double followed = 0;      // until the frame's end then
    ColliderImpulse impulse;  // what the collider's sum since that end was when it was last read
  };

  static void subtract(ColliderImpulse& from, const ColliderImpulse& what) {
    for (std::size_t i = 0; i < 3; ++i) {
      from.impulse[i] -= what.impulse[i];
      from.angular_impulse[i] -= what.angular_impulse[i];
    }
  }
  // The sums begin anew: what has not been read yet is owed.
  void end_frame(const Simulation& simulation, double end) {
    const std::vector<ColliderImpulse> sums = impulses_of(simulation);
    for (std::size_t s = 0; s < last_.size(); ++s) {
      last_[s].followed = end;
      if (is_force(scene_.sensors[s])) subtract(last_[s].impulse, sum_for(s, sums));
    }
  }
  ColliderImpulse sum_for(std::size_t sensor, const std::vector<ColliderImpulse>& all) const {
    ColliderImpulse sum;
    for (const std::size_t place : places_[sensor]) {
      add(all[place].impulse, sum.impulse);
      add(all[place].angular_impulse, sum.angular_impulse);
    }
    return sum;
  }

  std::vector<SensorReading> read_all(const Simulation& simulation,
                                      const std::vector<ColliderReaction>& means) const {
    std::vector<std::size_t> all(scene_.sensors.size());
    for (std::size_t s = 0; s < all.size(); ++s) all[s] = s;
    return read_at(simulation, all, simulation.time(), [&](std::size_t sensor) {
      ColliderReaction sum;
      for (const std::size_t place : places_[sensor]) {
        add(means[place].force, sum.force);
        add(means[place].torque, sum.torque);
      }
      return sum;
    });
  }

  // Times that differ by less are the same.
  double slack() const { return same_time(scene_); }
  // The first multiple of 1 / rate after `now`.
  double next_reading(const Sensor& sensor, double now) const {
    if (!sensor.rate) return std::numeric_limits<double>::infinity();
    return (std::floor((now + slack()) * *sensor.rate) + 1) / *sensor.rate;
  }
  double next_reading(double now) const {
    double next = std::numeric_limits<double>::infinity();
    for (const Sensor& sensor : scene_.sensors) next = std::min(next, next_reading(sensor, now));
    return next;
  }
  std::vector<std::size_t> due(double before, double at, bool frame_ends) const {
    std::vector<std::size_t> sensors;
    for (std::size_t s = 0; s < scene_.sensors.size(); ++s) {
      const Sensor& sensor = scene_.sensors[s];
      if (sensor.rate ? next_reading(sensor, before) < at + slack() : frame_ends)
        sensors.push_back(s);
    }
    return sensors;
  }

  template <class ForceOn>
  std::vector<SensorReading> read_at(const Simulation& simulation,
                                     const std::vector<std::size_t>& sensors, double time,
                                     const ForceOn& force_on) const {
    std::vector<std::string> channels;
    bool looks = false;
    for (const std::size_t s : sensors) {
      const Sensor& sensor = scene_.sensors[s];
      looks = looks || reads_particles(sensor);
      channels.insert(channels.end(), sensor.channels.begin(), sensor.channels.end());
    }
    const auto reads = [&](std::string_view name) {
      return std::find(channels.begin(), channels.end(), name) != channels.end();
    };
    const Snapshot snapshot = looks ? simulation.snapshot({reads("deformation_gradient"),
                                                           reads("stress"), reads("pressure")})
                                    : Snapshot{};
    if (snapshot.size() > 0 && snapshot.velocity.empty())
      throw Error(ErrorCategory::kScene,
                  "sensors cannot be read where velocities lie on the grid; advance_steps(1) "
                  "brings them back");
    const bool rounded = looks && scene_.simulation.precision == Precision::kDouble;
    const GaugedParticles particles(
        snapshot, looks ? channels : std::vector<std::string>{},
        rounded ? simulation.field<double>("position") : std::vector<double>{});
    std::vector<SensorReading> readings;
    readings.reserve(sensors.size());
    for (const std::size_t s : sensors)
      readings.push_back({s, time, values_of(s, simulation, particles, force_on)});
    return readings;
  }

  template <class ForceOn>
  std::vector<double> values_of(std::size_t s, const Simulation& simulation,
                                const GaugedParticles& particles, const ForceOn& force_on) const {
    const Sensor& sensor = scene_.sensors[s];
    switch (sensor.kind) {
      case SensorKind::kPoint:
        return read_point(sensor, particles);
      case SensorKind::kRegion:
        return read_region(sensor, particles,
                           [&](const Vec3& x) { return distance(*shapes_[s], x); });
      case SensorKind::kPlane:
        return read_plane(sensor, particles);
      case SensorKind::kHeight: {
        const bool given = sensor.direction != Vec3{};
        return read_height(sensor, particles, given ? sensor.direction : upwards(scene_),
                           [&](const Vec3& x) {
                             if (!scene_.grid.domain) return 1.0;
                             return share_within(*scene_.grid.domain, scene_.simulation.dimension,
                                                 scene_.grid.dx, x);
                           });
      }
      case SensorKind::kMotion:
        if (!moves_collider(sensor)) return read_motion(sensor, particles);
        return read_motion(simulation.colliders()[static_cast<std::size_t>(sensor.collider)],
                           scene_.simulation.dimension);
      case SensorKind::kCollider:
      case SensorKind::kContact:
        break;
    }
    const ColliderReaction mean = force_on(s);
    const auto &f = mean.force, &t = mean.torque;
    if (scene_.simulation.dimension == 2) return {f[0], f[1], t[2]};
    return {f[0], f[1], f[2], t[0], t[1], t[2]};
  }

  Scene scene_;
  std::vector<std::vector<SensorColumn>> columns_;
  std::vector<std::optional<CompiledShape>> shapes_;  // of regions
  std::vector<std::vector<std::size_t>> places_;      // see places_of
  std::vector<LastRead> last_;
  ReactionMeans means_{same_time(scene_)};
};

Sensors::Sensors(const Scene& scene) : impl_(std::make_unique<Impl>(scene)) {}
Sensors::~Sensors() = default;
Sensors::Sensors(Sensors&&) noexcept = default;
Sensors& Sensors::operator=(Sensors&&) noexcept = default;
Sensors::Impl& Sensors::impl() const { return not_moved_from(impl_, "set of sensors"); }
std::size_t Sensors::size() const { return impl().scene().sensors.size(); }
const std::string& Sensors::name(std::size_t sensor) const {
  impl().require(sensor);
  return impl().scene().sensors[sensor].name;
}
const std::vector<SensorColumn>& Sensors::columns(std::size_t sensor) const {
  impl().require(sensor);
  return impl().columns(sensor);
}
std::vector<SensorReading> Sensors::read(const Simulation& simulation) const {
  return impl().read(simulation);
}
std::vector<SensorReading> Sensors::read_on(const Simulation& simulation) {
  return impl().read_on(simulation);
}
bool Sensors::advance_frame(Simulation& simulation,
                            const std::function<void(const SensorReading&)>& take,
                            const Observer& observer) {
  return impl().advance_frame(simulation, take, observer);
}
std::vector<double> Sensors::state() const { return impl().state(); }
void Sensors::set_state(const std::vector<double>& state) { impl().set_state(state); }

}  // namespace firn

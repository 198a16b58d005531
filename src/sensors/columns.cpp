#include "src/sensors/columns.h"

#include <fmt/format.h>

#include <string_view>

#include "firn/error.h"
#include "src/io/particle_channels.h"
#include "src/scene/output_channels.h"

namespace firn {
namespace {

const OutputChannel& channel_of(const Scene& scene, const Sensor& sensor, std::string_view name) {
  for (const OutputChannel& channel : output_channels())
    if (channel.name == name && channel.has_mean && channel.exists(scene)) return channel;
  throw Error(ErrorCategory::kScene,
              fmt::format("sensor \"{}\": there is no channel '{}' to read", sensor.name, name));
}

// "_x", "_xy", or nothing, of component k.
std::string suffix(ChannelRank rank, int dimension, int k) {
  constexpr std::string_view kAxes = "xyz";
  const auto axis = [&](int i) { return std::string(1, kAxes[static_cast<std::size_t>(i)]); };
  if (rank == ChannelRank::kScalar) return "";
  if (rank == ChannelRank::kTensor) return "_" + axis(k / dimension) + axis(k % dimension);
  return "_" + (rank == ChannelRank::kAxial && dimension == 2 ? "z" : axis(k));
}

void add_channels(const Scene& scene, const Sensor& sensor, std::vector<SensorColumn>& columns) {
  const int d = scene.simulation.dimension;
  for (const std::string& name : sensor.channels) {
    const OutputChannel& channel = channel_of(scene, sensor, name);
    for (int k = 0; k < component_count(channel.rank, d); ++k)
      columns.push_back({name + suffix(channel.rank, d, k), std::string(channel.unit)});
  }
}

// "name_x", ... of a vector; "name_z" of an axial one in 2D.
void add_vector(std::string_view name, const char* unit, ChannelRank rank, int dimension,
                std::vector<SensorColumn>& columns) {
  for (int k = 0; k < component_count(rank, dimension); ++k)
    columns.push_back({std::string(name) + suffix(rank, dimension, k), unit});
}

}  // namespace

std::vector<SensorColumn> columns_of(const Scene& scene, const Sensor& sensor) {
  const int d = scene.simulation.dimension;
  const bool flat = d == 2;
  const char *area = flat ? "m" : "m^2", *volume = flat ? "m^2" : "m^3";
  std::vector<SensorColumn> columns;
  switch (sensor.kind) {
    case SensorKind::kPoint:
      columns = {{"density", fmt::format("kg/{}", volume)}};
      add_channels(scene, sensor, columns);
      return columns;
    case SensorKind::kRegion:
      columns = {{"particles", "1"}, {"mass", "kg"}, {"volume", volume}};
      add_channels(scene, sensor, columns);
      return columns;
    case SensorKind::kPlane:
      return {{"mass_flux", "kg/s"},
              {"volume_flux", fmt::format("{}/s", volume)},
              {"area", area},
              {"velocity", "m/s"}};
    case SensorKind::kHeight:
      return {{"height", "m"}};
    case SensorKind::kCollider:
    case SensorKind::kContact:
      add_vector("force", "N", ChannelRank::kVector, d, columns);
      add_vector("torque", "N m", ChannelRank::kAxial, d, columns);
      return columns;
    case SensorKind::kMotion:
      if (!moves_collider(sensor)) columns.push_back({"mass", "kg"});
      add_vector("position", "m", ChannelRank::kVector, d, columns);
      if (moves_collider(sensor)) add_vector("rotation", "rad", ChannelRank::kAxial, d, columns);
      add_vector("velocity", "m/s", ChannelRank::kVector, d, columns);
      add_vector("angular_velocity", "rad/s", ChannelRank::kAxial, d, columns);
      if (!moves_collider(sensor)) columns.push_back({"kinetic_energy", "J"});
  }
  return columns;
}

}  // namespace firn

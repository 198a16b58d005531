#include "src/app/sensor_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "firn/error.h"
#include "src/diagnostics/ledger.h"
#include "src/diagnostics/plots.h"

namespace firn::app {
namespace {

std::string header_of(const std::vector<SensorColumn>& columns) {
  std::string line = "time [s]";
  for (const SensorColumn& column : columns)
    line += fmt::format(",{} [{}]", column.name, column.unit);
  return line;
}

AppendFile open_file_of(const std::filesystem::path& path, const std::string& header,
                        std::optional<double> last) {
  const auto keep = [&, first = true](std::string_view line) mutable {
    if (std::exchange(first, false)) {
      if (line == header) return true;
      throw Error(ErrorCategory::kFile,
                  path.string() +
                      ":1: cannot continue this file: its columns are not those of the scene's "
                      "sensor; move it away");
    }
    double time = std::numeric_limits<double>::infinity();
    std::from_chars(line.data(), line.data() + line.size(), time);
    return time <= *last;
  };
  AppendFile file = last ? AppendFile::resume(path, keep) : AppendFile::create(path);
  if (file.empty()) file.append(header);
  return file;
}

// "velocity_x [m/s]" -> "velocity_x", "m/s".
std::pair<std::string, std::string> name_and_unit(const std::string& column) {
  const std::size_t at = column.find(" [");
  if (at == column.npos) return {column, ""};
  return {column.substr(0, at), column.substr(at + 2, column.size() - at - 3)};
}

std::string axis_label(const std::string& name, const std::string& unit) {
  return unit == "1" ? name : fmt::format("{} ({})", name, unit);
}

std::vector<PlotSpec> panels_of(const std::vector<Column>& columns) {
  std::vector<PlotSpec> panels;
  std::string unit_of_last;
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const auto [name, unit] = name_and_unit(columns[i].name);
    const auto is_number = [](double value) { return std::isfinite(value); };
    if (std::none_of(columns[i].values.begin(), columns[i].values.end(), is_number)) continue;
    if (!panels.empty() && unit == unit_of_last && unit != "1") {
      panels.back().y_label = unit;
    } else {
      panels.push_back({"", "time (s)", axis_label(name, unit), false, {}});
    }
    unit_of_last = unit;
    panels.back().series.push_back({name, columns[0].values, columns[i].values});
  }
  for (PlotSpec& panel : panels)
    if (panel.series.size() == 1) panel.series[0].name.clear();  // its axis says it
  return panels;
}

}  // namespace

SensorWriter::SensorWriter(const Scene& scene, const Sensors& sensors,
                           const RunDirectory& directory, std::optional<double> resumed_at) {
  if (sensors.size() > 0) directory.make_sensor_folder();
  const double slack = 1e-6 / scene.simulation.fps;
  for (std::size_t s = 0; s < sensors.size(); ++s)
    files_.push_back(open_file_of(directory.sensor_path(sensors.name(s), "csv"),
                                  header_of(sensors.columns(s)),
                                  resumed_at ? std::optional(*resumed_at + slack) : std::nullopt));
}

void SensorWriter::write(const SensorReading& reading) {
  std::string line = fmt::format("{:.17g}", reading.time);
  for (const double value : reading.values)
    line += std::isnan(value) ? "," : fmt::format(",{:.17g}", value);
  files_[reading.sensor].append(line);
}

void SensorWriter::sync() {
  for (AppendFile& file : files_) file.sync();
}

bool plot_sensors(const Scene& scene, const RunDirectory& directory) {
  for (const Sensor& sensor : scene.sensors) {
    std::vector<PlotSpec> panels =
        panels_of(read_ledger(directory.sensor_path(sensor.name, "csv")));
    if (panels.empty()) continue;
    panels[0].title = sensor.name;
    if (!write_multi_panel(panels, directory.sensor_path(sensor.name, "png").string()))
      return false;
  }
  return true;
}

}  // namespace firn::app

// The readings of a scene's sensors as files of its run: sensors/NAME.csv, a row for each reading,
// and plots of them.
#pragma once

#include <optional>
#include <vector>

#include "firn/scene.h"
#include "firn/sensors.h"
#include "src/io/atomic_file.h"
#include "src/io/run_directory.h"

namespace firn::app {

class SensorWriter {
 public:
  // New files, or, with `resumed_at` (s), those that are there, without the rows of later times.
  // Throws Error{kFile} if they cannot be written or have other columns.
  SensorWriter(const Scene& scene, const Sensors& sensors, const RunDirectory& directory,
               std::optional<double> resumed_at);
  void write(const SensorReading& reading);
  void sync();  // before a checkpoint, so that it never knows of more than the files

 private:
  std::vector<AppendFile> files_;  // one per sensor
};

// sensors/NAME.png of each sensor that has read something, columns of one unit in one panel.
// Returns false if there is no gnuplot. Throws as read_ledger and write_plot.
bool plot_sensors(const Scene& scene, const RunDirectory& directory);

}  // namespace firn::app

// What a run leaves in its folder, whoever drives it: pictures, particles, readings, tables and
// checkpoints frame by frame, and at its end a summary, plots and the video.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/scene.h"
#include "firn/sensors.h"
#include "firn/simulation.h"
#include "src/app/frame_writer.h"
#include "src/app/progress.h"
#include "src/app/run_report.h"
#include "src/app/sensor_writer.h"
#include "src/app/stopwatch.h"
#include "src/io/run_directory.h"

namespace firn::app {

Error out_of_memory();  // of a run

class RunRecord {
 public:
  // Both must outlive it. `checkpoint_time`: s of the wall, after which a checkpoint comes behind
  // a frame, however few these were, where a scene has any.
  RunRecord(const RunDirectory& directory, Progress& progress, double checkpoint_time)
      : directory_(directory), progress_(progress), checkpoint_time_(checkpoint_time) {}

  // In place of what was there before, with the simulation's first frame. `started`: when reading
  // the scene and filling its bodies began.
  void begin(const Scene& scene, const Simulation& simulation, Clock::time_point started);
  // Behind a checkpoint that the simulation has loaded; `first` is the state at the run's start.
  void resume(const Scene& scene, const Simulation& simulation, const Snapshot& first,
              const Checkpoint& from, Clock::time_point started);
  // With another scene for the rest of this run, which the simulation is at.
  void change(const Scene& scene, const Simulation& simulation, const Snapshot& first);

  // As Simulation::advance_frame, with the scene's sensors.
  bool advance_frame(Simulation& simulation, const Observer& observer);
  // Writes what there is of the frame that has ended, and now and then a checkpoint. What went
  // wrong with the picture of the frame before is thrown before anything of this one is counted.
  void complete_frame(const Simulation& simulation);
  std::filesystem::path save_checkpoint(const Simulation& simulation);

  // `message`: why it is not complete; else plots and video are made. Throws as file errors do.
  void end(const Simulation& simulation, const std::string& message);
  // An error of the run, with what is kept and how to go on; in the summary, too.
  Error failed(const Simulation& simulation, const Error& error);

  const FrameStats& last() const { return last_; }  // of the last complete frame
  const RunTotals& totals() const { return state_.totals; }
  const std::string& summary() const { return summary_; }
  const RunSeconds& seconds() const { return seconds_; }

 private:
  void open(const Scene& scene, const std::optional<FrameWriter::Resumed>& resumed,
            std::optional<double> time);
  void count_start();
  void warn_of_what_is_not_kept(const FrameStats& now);
  void warn_of_collapse(const FrameStats& now);
  void write_summary(const Simulation& simulation, const std::string& message);

  const RunDirectory& directory_;
  Progress& progress_;
  double checkpoint_time_;
  Clock::time_point saved_ = Clock::now();  // when the last checkpoint was, or it began
  Scene scene_;
  std::optional<Sensors> sensors_;
  std::optional<SensorWriter> readings_;
  std::optional<FrameWriter> writer_;
  FrameStats last_;
  int whole_ = -1;                     // the last frame that has all its files, as far as was asked
  struct Told {                        // what was warned of
    std::vector<bool> squeezed, left;  // materials, colliders
    bool collapsed = false;
    Totals began;  // since when the mass is what it is
  };
  Told told_;
  bool is_whole_ = false;       // all was there already: its summary is of what that took
  double earlier_seconds_ = 0;  // that sessions before this one took for the frame that has begun
  RunState state_;
  RunSeconds seconds_;
  Clock::time_point started_;
  std::string summary_;
};

}  // namespace firn::app

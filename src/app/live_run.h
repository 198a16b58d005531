// A scene that runs on a thread of its own while it is watched: what `firn view SCENE` shows. The
// page steers it between steps, and no bit of it depends on who watches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "firn/scene.h"
#include "firn/sensors.h"
#include "firn/simulation.h"
#include "src/app/options.h"
#include "src/app/progress.h"
#include "src/app/run_record.h"
#include "src/app/stopwatch.h"
#include "src/view/player.h"
#include "src/view/session.h"

namespace firn::app {

class LiveRun final : public view::Player {
 public:
  // `directory`: where the run leaves its files; null: it leaves none.
  LiveRun(const Scene& scene, const Options& options, view::Session& session,
          const RunDirectory* directory);
  ~LiveRun() override;

  // Not before it can be watched, and once: what was in the directory is then replaced.
  void begin();

  void play() override;
  void pause() override;
  void step() override;
  void set(const std::vector<std::string>& assignments, bool again) override;

  // Why the run could not begin, if so: nothing is there to be watched then.
  std::exception_ptr failure() const;
  // Ends the run between two steps, with a checkpoint if it leaves files. Returns how to go on with
  // it; empty if there is no need or no way to. Throws as writing the checkpoint.
  std::string stop();

 private:
  // A scene to go on with.
  struct Change {
    Scene scene;
    bool again = false;
    std::vector<std::string> overrides;
  };
  struct Orders {
    bool stop = false, step = false;
    std::optional<Change> change;
  };

  void work();
  void follow_orders();
  void stop_record();
  Orders wait_for_orders();
  void fill(const Scene& scene, const std::vector<std::byte>* state);
  void go_on(const Scene& scene, const std::vector<std::byte>& state);
  void apply(const Change& change);
  void advance(bool single);
  bool advance_frame(const Observer& observer);
  void complete_frame();
  view::Picture picture_of_frame();
  void add_moment(view::Picture& picture);
  void show_costly_if_wanted();
  void end_where_complete();
  void fail(const Error& error);
  void show_passing();
  void show_passing_if_due();
  void count_step(const StepInfo& info);
  void tell_pace();

  const Options& options_;
  view::Session& session_;
  const RunDirectory* directory_;
  Progress progress_;  // the thread's own
  std::optional<Simulation> simulation_;
  std::optional<Sensors> sensors_;  // of a run without files: steps end where they read
  std::optional<RunRecord> record_;
  std::optional<view::PictureMaker> maker_;
  Clock::time_point shown_at_, paced_at_;
  double picture_seconds_ = 0;  // that the last picture between frames took
  std::string costly_;          // that the last picture has
  view::Pace pace_;
  std::int64_t paced_steps_ = 0;
  Scene running_;
  bool filled_ = false;    // bodies, once
  bool complete_ = false;  // all frames are there, or the run has failed

  std::mutex setting_;        // one request sets keys at a time: each builds on those before
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable ordered_;
  Orders orders_;
  bool playing_ = true, failed_ = false;
  Scene scene_;                               // that was ordered last
  std::map<std::string, std::string> files_;  // that the run reads, as it began with them
  std::vector<std::string> overrides_;
  std::exception_ptr failure_;
  std::string to_go_on_;

  std::atomic<int> frame_{0};           // the last one that is complete
  std::atomic<bool> attention_{false};  // an order waits: the steps are to stop
  std::thread thread_;
};

}  // namespace firn::app

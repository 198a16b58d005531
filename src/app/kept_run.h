// The frames that the folder of a run has kept, read one after the other: what `firn view DIR`
// shows.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "firn/scene.h"
#include "src/app/options.h"
#include "src/app/recorded_bodies.h"
#include "src/app/run_frames.h"
#include "src/io/run_directory.h"
#include "src/view/player.h"
#include "src/view/session.h"

namespace firn::app {

class KeptRun final : public view::Player {
 public:
  // Throws Error{kFile} if nothing is kept. All of these must outlive it.
  KeptRun(const Scene& scene, const RunDirectory& directory, const Options& options,
          view::Session& session);
  ~KeptRun() override;

  void begin();  // to read; once

  // The page plays what is kept by itself.
  void play() override {}
  void pause() override {}
  void step() override;
  void set(const std::vector<std::string>& assignments, bool again) override;

 private:
  void work();
  std::vector<std::string> channels_of_checkpoints(int frame) const;
  void read_ledger_rows();
  void add(int frame, RunFrames::Frame& read);

  const Scene& scene_;
  const RunDirectory& directory_;
  view::Session& session_;
  RunFrames kept_;
  RecordedBodies bodies_;
  std::vector<int> frames_;
  view::PictureMaker maker_;
  bool staged_ = false;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace firn::app

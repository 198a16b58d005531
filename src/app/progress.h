// What a run tells while it works: lines of text, and one bar at the bottom of a terminal that is
// redrawn in place. Where nobody watches (a pipe, a log file) each frame is a plain line instead.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "firn/simulation.h"
#include "src/app/options.h"

namespace firn::app {

class Progress {
 public:
  // Writes to stdout, or to stderr if --json wants stdout for itself; nothing with --quiet.
  explicit Progress(const Options& options);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void line(const std::string& text);
  void detail(const std::string& text);          // a line only with --verbose
  static void warning(const std::string& text);  // on stderr, even with --quiet

  void begin(int first_frame, int last_frame);  // frames done already, frames of the whole run
  void frame_done(const FrameStats& stats);
  void tick();  // between steps: redraws the bar now and then, so that long frames show life
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed() const;
  double remaining() const;  // s until the last frame, at the pace of this session
  std::string bar() const;
  std::string plain_line(const FrameStats& stats) const;
  void draw();
  void erase();

  std::FILE* out_;  // null: quiet
  bool verbose_, terminal_;
  bool running_ = false, drawn_ = false;
  int first_ = 0, last_ = 0;
  FrameStats stats_;
  Clock::time_point start_, drawn_at_;
};

}  // namespace firn::app

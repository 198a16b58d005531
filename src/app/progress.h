// What a run tells while it works: lines of text, and one bar at the bottom of a terminal that is
// redrawn in place. Where nobody watches (a pipe, a log file) each frame is a plain line instead.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "firn/simulation.h"
#include "src/app/options.h"
#include "src/app/stopwatch.h"

namespace firn::app {

// To standard error; where that cannot be written there is nobody to tell.
void print_errors(std::string_view text);

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

  // While a scene's bodies are filled: nothing where that takes a second at most.
  void begin_filling();
  void filling(const Filling& at, std::string_view body);

  void begin(int first_frame, int last_frame);  // frames done already, frames of the whole run
  void frame_done(const FrameStats& stats);
  // The same on a terminal for `count` files that are made one after the other.
  void begin_files(int count);
  void file_done();
  void tick();  // between steps: redraws the bar now and then, so that long frames show life
  void hide() { erase(); }  // until something is drawn again
  void end();

  // errno of what standard output or error did not take; 0: it took all.
  static int lost() { return lost_; }

 private:
  double elapsed() const;
  void frame_took();
  double remaining() const;  // s until the last frame, at the pace of the last frames
  std::string bar() const;
  std::string plain_line(const FrameStats& stats) const;
  void draw() { draw(bar()); }
  void draw(std::string text);
  void erase();
  void flush();

  inline static int lost_ = 0;  // the streams are those of the process
  std::FILE* out_;              // null: quiet
  bool verbose_, terminal_;
  bool running_ = false, drawn_ = false, told_of_filling_ = false, steps_ = true;
  int first_ = 0, last_ = 0;
  double pace_ = 0, paced_at_ = 0;  // s per frame; elapsed() at the last one
  FrameStats stats_;
  Clock::time_point start_, drawn_at_;
};

}  // namespace firn::app

#include "src/app/remade_frames.h"

#include "src/app/json_out.h"
#include "src/app/run_frames.h"

namespace firn::app {

RemadeFrames::RemadeFrames(const Options& options, std::size_t frames)
    : json_(options.json),
      chosen_(options.first_frame || options.last_frame),
      of_(static_cast<int>(frames)),
      progress_(options) {}

void RemadeFrames::begin() { progress_.begin_files(of_); }

void RemadeFrames::made(int frame) {
  frames_.push_back(frame);
  progress_.file_done();
}

void RemadeFrames::passed() { progress_.file_done(); }

void RemadeFrames::left_out(int frame) {
  progress_.hide();
  tell_left_out(frame, chosen_);
  progress_.file_done();
}

void RemadeFrames::warn(const std::string& text) {
  progress_.hide();
  Progress::warning(text);
}

void RemadeFrames::tell(const std::string& line, std::string_view what,
                        const std::filesystem::path& folder) {
  progress_.end();
  progress_.line(line);
  if (json_) print_json({{"made", what}, {"frames", frames_}, {"folder", folder.string()}});
}

}  // namespace firn::app

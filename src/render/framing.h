// What the pictures of a scene frame: the scene's camera as it is at their times, or one that is
// fixed by the scene and the first snapshot, by all snapshots where these are known, and that moves
// back where material would leave the picture (output.follow).
#pragma once

#include <optional>
#include <vector>

#include "src/render/follow.h"
#include "src/render/view.h"

namespace firn {

class Framing {
 public:
  // The scene must outlive it.
  Framing(const Scene& scene, int width, int height);

  // Before the first picture: what will be shown.
  void look_ahead(const Snapshot& snapshot);
  // The first picture's snapshot, at `time`, s.
  void start(const Snapshot& first, double time);
  bool has_started() const { return stage_.has_value(); }
  // Every later one.
  void advance(const Snapshot& snapshot, double time);
  // The scene's camera so many seconds after the picture, until the next one; others stay.
  void look(double seconds);

  const Stage& stage() const { return *stage_; }  // as it was foretold at the start
  const Bounds& shown() const { return follower_.shown(); }
  const Camera& camera() const { return camera_; }
  const FlatView& flat_view() const { return flat_view_; }

  // How far the second of these two points is from the first in the picture, so many seconds before
  // or after its time each.
  double pixels_between(const V3d& from, double before, const V3d& to, double after) const;
  // How far a particle moves in the picture in so many seconds at its velocity, but for the fastest
  // hundredth of them.
  double pixels_moved(const Snapshot& snapshot, double seconds) const;
  // How far what is framed and rests moves in the picture in so many seconds, half of them before
  // its time, since the camera moves.
  double pixels_passed(double seconds) const;

  // What a Framing of the same scene, size and first snapshot goes on with.
  std::vector<double> state() const;
  // Throws Error{kFile} if it is neither empty nor a state.
  void set_state(const std::vector<double>& state);

 private:
  bool follows() const;
  void aim();
  Camera camera_after(double seconds) const;
  Projection view_after(double seconds) const;
  // From a point of one view to one of another.
  double pixels(const V3d& from, const Projection& view, const V3d& to,
                const Projection& later) const;

  const Scene& scene_;
  int width_, height_;
  Bounds ahead_;  // of all that look_ahead was given
  std::optional<Stage> stage_;
  double time_ = 0;  // of the last picture
  Follower follower_;
  Camera first_camera_, camera_;
  FlatView flat_view_;
};

}  // namespace firn

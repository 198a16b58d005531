#include "src/render/framing.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "firn/error.h"

namespace firn {

Framing::Framing(const Scene& scene, int width, int height)
    : scene_(scene), width_(width), height_(height) {
  look(0);
}

void Framing::look_ahead(const Snapshot& snapshot) {
  Stage now;
  now.spacing = mean_spacing(snapshot, 0.5 * scene_.grid.dx);
  const Bounds material = material_bounds(scene_, now, snapshot);
  if (material.empty()) return;
  ahead_.add(material.min);
  ahead_.add(material.max);
}

void Framing::start(const Snapshot& first, double time) {
  stage_ = make_stage(scene_, first);
  if (!ahead_.empty()) focus_on(scene_, ahead_, *stage_);
  follower_ = Follower(stage_->focus);
  time_ = time;
  camera_ = first_camera_ = choose_camera(scene_, *stage_, static_cast<double>(width_) / height_);
  flat_view_ = choose_flat_view(scene_, *stage_, width_, height_);
  look(0);
}

Camera Framing::camera_after(double seconds) const {
  return scene_.output.camera ? scene_.output.camera->at(time_ + seconds) : camera_;
}

void Framing::look(double seconds) { camera_ = camera_after(seconds); }

// Cameras that the scene gives go their own ways, and those that know all stand still.
bool Framing::follows() const {
  const bool whole_domain = scene_.simulation.dimension == 2 && scene_.grid.domain;
  return scene_.output.follow && !scene_.output.camera && !whole_domain && ahead_.empty();
}

void Framing::advance(const Snapshot& snapshot, double time) {
  const double fps = scene_.simulation.fps;
  const double frames = std::max(0.0, (time - time_) * fps);
  time_ = time;
  look(0);
  if (!follows()) return;
  Bounds material = material_bounds(scene_, *stage_, snapshot);
  const Bounds soon = material_bounds(scene_, *stage_, snapshot, Follower::kAhead / fps);
  if (!soon.empty()) {
    material.add(soon.min);
    material.add(soon.max);
  }
  follower_.advance(frames, material);
  aim();
}

// From the first camera, so that one that goes on takes the same views to the bit.
void Framing::aim() {
  if (!follows() || !follower_.has_moved()) return;
  camera_ = reframed(first_camera_, shown(), static_cast<double>(width_) / height_);
  Stage now = *stage_;
  now.focus = shown();
  flat_view_ = choose_flat_view(scene_, now, width_, height_);
}

Projection Framing::view_after(double seconds) const {
  return {camera_after(seconds), static_cast<double>(width_) / height_};
}

double Framing::pixels(const V3d& from, const Projection& view, const V3d& to,
                       const Projection& later) const {
  const auto pixel = [&](const V3d& x, const Projection& by) -> std::array<double, 2> {
    if (scene_.simulation.dimension == 2) return {flat_view_.column(x[0]), flat_view_.row(x[1])};
    const auto [u, v] = by.project(x);
    return {0.5 * u * width_, 0.5 * v * height_};
  };
  const auto a = pixel(from, view), b = pixel(to, later);
  return std::hypot(b[0] - a[0], b[1] - a[1]);
}

double Framing::pixels_between(const V3d& from, double before, const V3d& to, double after) const {
  return pixels(from, view_after(before), to, view_after(after));
}

double Framing::pixels_moved(const Snapshot& snapshot, double seconds) const {
  const auto d = static_cast<std::size_t>(snapshot.dimension);
  if (snapshot.velocity.size() != snapshot.position.size() || snapshot.size() == 0) return 0;
  const Projection view = view_after(0), later = view_after(seconds);
  std::vector<double> ways;
  const std::size_t stride = 1 + snapshot.size() / 8192;
  for (std::size_t i = 0; i < snapshot.size(); i += stride) {
    const V3d x = position_of(snapshot, i);
    V3d y = x;
    for (std::size_t c = 0; c < d; ++c)
      y[static_cast<int>(c)] += seconds * double{snapshot.velocity[i * d + c]};
    const double way = pixels(x, view, y, later);
    if (std::isfinite(way)) ways.push_back(way);
  }
  if (ways.empty()) return 0;
  const auto fast = ways.begin() + static_cast<std::ptrdiff_t>(99 * (ways.size() - 1) / 100);
  std::nth_element(ways.begin(), fast, ways.end());
  return *fast;
}

// The ways from piece to piece, for one that goes round may end where it began.
double Framing::pixels_passed(double seconds) const {
  if (!scene_.output.camera || !scene_.output.camera->moves()) return 0;
  constexpr int kPieces = 8;
  const auto is_before = [](const V3d& x, const Projection& by) {
    return dot(x - by.eye, by.forward) > 0;
  };
  std::array<double, 8> ways{};
  for (int piece = 0; piece < kPieces; ++piece) {
    const Projection view = view_after((piece / double{kPieces} - 0.5) * seconds),
                     later = view_after(((piece + 1) / double{kPieces} - 0.5) * seconds);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const V3d corner = shown().corner(static_cast<int>(i));
      if (is_before(corner, view) && is_before(corner, later))
        ways[i] += pixels(corner, view, corner, later);
    }
  }
  return *std::max_element(ways.begin(), ways.end());
}

std::vector<double> Framing::state() const {
  if (!stage_) return {};
  std::vector<double> state = follower_.state();
  state.push_back(time_);
  return state;
}

void Framing::set_state(const std::vector<double>& state) {
  if (state.empty()) return;
  if (state.size() != Follower::kNumbers + 1 ||
      !std::all_of(state.begin(), state.end(), [](double x) { return std::isfinite(x); }))
    throw Error(ErrorCategory::kFile, "this is no state of a camera that follows material");
  time_ = state.back();
  follower_.set_state(std::span(state).first(Follower::kNumbers));
  aim();
}

}  // namespace firn

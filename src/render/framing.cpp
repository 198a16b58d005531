#include "src/render/framing.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "firn/error.h"

namespace firn {

Framing::Framing(const Scene& scene, int width, int height)
    : scene_(scene), width_(width), height_(height) {
  if (scene.output.camera) camera_ = *scene.output.camera;
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
}

// Cameras that the scene gives stand still, and so do those that know all.
bool Framing::follows() const {
  const bool whole_domain = scene_.simulation.dimension == 2 && scene_.grid.domain;
  return scene_.output.follow && !scene_.output.camera && !whole_domain && ahead_.empty();
}

void Framing::advance(const Snapshot& snapshot, double time) {
  const double fps = scene_.simulation.fps;
  const double frames = std::max(0.0, (time - time_) * fps);
  time_ = time;
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

double Framing::pixels_between(const V3d& from, const V3d& to) const {
  const Projection view(camera_, static_cast<double>(width_) / height_);
  const auto pixel = [&](const V3d& x) -> std::array<double, 2> {
    if (scene_.simulation.dimension == 2) return {flat_view_.column(x[0]), flat_view_.row(x[1])};
    const auto [u, v] = view.project(x);
    return {0.5 * u * width_, 0.5 * v * height_};
  };
  const auto a = pixel(from), b = pixel(to);
  return std::hypot(b[0] - a[0], b[1] - a[1]);
}

double Framing::pixels_moved(const Snapshot& snapshot, double seconds) const {
  const auto d = static_cast<std::size_t>(snapshot.dimension);
  if (snapshot.velocity.size() != snapshot.position.size() || snapshot.size() == 0) return 0;
  std::vector<double> ways;
  const std::size_t stride = 1 + snapshot.size() / 8192;
  for (std::size_t i = 0; i < snapshot.size(); i += stride) {
    const V3d x = position_of(snapshot, i);
    V3d y = x;
    for (std::size_t c = 0; c < d; ++c)
      y[static_cast<int>(c)] += seconds * double{snapshot.velocity[i * d + c]};
    const double way = pixels_between(x, y);
    if (std::isfinite(way)) ways.push_back(way);
  }
  if (ways.empty()) return 0;
  const auto fast = ways.begin() + static_cast<std::ptrdiff_t>(99 * (ways.size() - 1) / 100);
  std::nth_element(ways.begin(), fast, ways.end());
  return *fast;
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

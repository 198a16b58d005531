#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "firn/render.h"
#include "kernels/collide/rigid_body.h"
#include "src/render/collider_view.h"
#include "src/render/image.h"
#include "src/render/mesh.h"
#include "src/render/render.h"
#include "src/scene/moved_from.h"
#include "src/scene/output_channels.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

Mat<double, 3> matrix_of(const std::array<double, 9>& rows) {
  Mat<double, 3> R;
  for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = rows[static_cast<std::size_t>(i)];
  return R;
}

// A body that goes on as it moves and turns now.
void drift(ColliderState& state, double seconds) {
  double turn[4] = {0, 0, 0, 1};
  Vec<double, 3> angle;
  for (int c = 0; c < 3; ++c) {
    angle[c] = seconds * state.angular_velocity[static_cast<std::size_t>(c)];
    state.translation[static_cast<std::size_t>(c)] +=
        seconds * state.velocity[static_cast<std::size_t>(c)];
  }
  rigid::turn_by(turn, angle);
  const Mat<double, 3> R = rigid::rotation_of(turn) * matrix_of(state.rotation);
  for (int i = 0; i < 9; ++i) state.rotation[static_cast<std::size_t>(i)] = R(i / 3, i % 3);
}

Vec3 placed(const ColliderState& state, const Vec3& x) {
  const V3d y = pose_of(state.rotation, state.translation, state.pivot).point({{x[0], x[1], x[2]}});
  return {y[0], y[1], y[2]};
}

// The corners of each collider's bounding box at rest; none of one without bounds.
std::vector<std::vector<Vec3>> boxes_of(const Scene& scene) {
  const int d = scene.simulation.dimension;
  std::vector<std::vector<Vec3>> boxes;
  for (const Collider& collider : scene.colliders) {
    const CompiledShape outline = outline_shape(collider.shape, d, scene.grid.dx);
    std::vector<Vec3>& corners = boxes.emplace_back();
    for (std::size_t corner = 0; outline.bounded() && corner < std::size_t{1} << d; ++corner) {
      Vec3& x = corners.emplace_back();
      for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c)
        x[c] = corner >> c & 1 ? outline.max[c] : outline.min[c];
    }
  }
  return boxes;
}

}  // namespace

class SceneRenderer::Impl {
 public:
  explicit Impl(const Scene& scene) : scene_(scene), renderer_(scene_), colliders_(scene_) {
    scene_.output.image = true;
    scene_.output.particles.clear();
    if (scene_.output.motion_blur > 0) boxes_ = boxes_of(scene_);
  }

  void start(const Shown& s) { renderer_.aim(s.particles, s.time); }
  Image render(const Shown& s) {
    start(s);
    const double open = scene_.output.motion_blur / scene_.simulation.fps;
    Image image = open > 0 ? blurred(s, open) : draw(s);
    renderer_.write_captions(image, s.time);
    return image;
  }
  // A picture without them would be grey.
  void require_colors(const Snapshot& particles) const {
    if (particles.size() == 0 || !particles.velocity.empty()) return;
    for (const char* moving : {"speed", "velocity", "vorticity", "pressure", "kirchhoff_stress"})
      if (scene_.output.color == moving)
        throw Error(ErrorCategory::kScene,
                    fmt::format("output.color = \"{}\" cannot be shown between two fused steps, "
                                "where velocities and stresses lie on the grid; advance_steps(1) "
                                "brings them back",
                                moving));
  }
  Renderer& renderer() { return renderer_; }
  SnapshotParts parts() const { return shown_parts(scene_); }

 private:
  Image draw(const Shown& s) {
    return renderer_.draw(s.particles, colliders_.poses(s.colliders),
                          colliders_.surfaces(s.colliders), s.tracers);
  }

  // The shutter is open for so many seconds, half of them before the frame's time.
  Image blurred(const Shown& s, double open) {
    constexpr double kStep = 2;  // pixels from one picture to the next
    constexpr int kMost = 24;
    const bool hidden = renderer_.shows_tracers_alone(s.tracers);
    const double way = std::max({hidden ? 0 : renderer_.pixels_moved(s.particles, open),
                                 pixels_of_bodies(s, open), renderer_.pixels_passed(open)});
    const int count = std::clamp(static_cast<int>(std::ceil(way / kStep)), 1, kMost);
    MeanImage mean;
    for (int i = 0; i < count; ++i) {
      const double seconds = ((i + 0.5) / count - 0.5) * open;
      renderer_.look(seconds);
      mean.add(draw(at(s, seconds)));
    }
    renderer_.look(0);
    return mean.image();
  }

  Shown at(const Shown& s, double seconds) const {
    return {renderer_.moved_on(s.particles, seconds), s.tracers, bodies_at(s, seconds),
            s.time + seconds};
  }

  // Those that material moves, or the program otherwise than the scene says, go on as they do now.
  std::vector<ColliderState> bodies_at(const Shown& s, double seconds) const {
    std::vector<ColliderState> states = s.colliders;
    const std::vector<ColliderState> now = scripted_colliders(scene_, s.time),
                                     then = scripted_colliders(scene_, s.time + seconds);
    for (std::size_t i = 0; i < states.size() && i < now.size(); ++i)
      if (states[i].dynamic || !is_same_place(states[i], now[i]))
        drift(states[i], seconds);
      else
        states[i] = then[i];
    return states;
  }
  // But for rounding.
  static bool is_same_place(const ColliderState& a, const ColliderState& b) {
    constexpr double kSame = 1e-9;
    const auto same = [](double x, double y) {
      return std::abs(x - y) <= kSame * (1 + std::abs(x));
    };
    return std::equal(a.rotation.begin(), a.rotation.end(), b.rotation.begin(), same) &&
           std::equal(a.translation.begin(), a.translation.end(), b.translation.begin(), same);
  }

  // The way of the fastest corner of a bounding box, while the shutter is open.
  double pixels_of_bodies(const Shown& s, double open) const {
    const std::vector<ColliderState> from = bodies_at(s, -0.5 * open),
                                     to = bodies_at(s, 0.5 * open);
    double most = 0;
    for (std::size_t i = 0; i < to.size() && i < boxes_.size(); ++i)
      for (const Vec3& corner : boxes_[i]) {
        const double way = renderer_.pixels_between(placed(from[i], corner), -0.5 * open,
                                                    placed(to[i], corner), 0.5 * open);
        if (std::isfinite(way)) most = std::max(most, way);
      }
    return most;
  }

  Scene scene_;
  Renderer renderer_;
  ColliderView colliders_;
  std::vector<std::vector<Vec3>> boxes_;
};

SceneRenderer::SceneRenderer(const Scene& scene) : impl_(std::make_unique<Impl>(scene)) {}
SceneRenderer::~SceneRenderer() = default;
SceneRenderer::SceneRenderer(SceneRenderer&&) noexcept = default;
SceneRenderer& SceneRenderer::operator=(SceneRenderer&&) noexcept = default;
SceneRenderer::Impl& SceneRenderer::impl() const { return not_moved_from(impl_, "renderer"); }

Image SceneRenderer::render(const Simulation& simulation) {
  const Shown shown = shown_of(simulation);
  impl().require_colors(shown.particles);
  return render(shown);
}
Image SceneRenderer::render(const Shown& shown) { return impl().render(shown); }
Shown SceneRenderer::shown_of(const Simulation& simulation) const {
  return {simulation.snapshot(impl().parts()), simulation.tracers(), simulation.colliders(),
          simulation.time()};
}
void SceneRenderer::start(const Shown& first) { impl().start(first); }

void SceneRenderer::look_ahead(const Shown& shown) {
  impl().renderer().look_ahead(shown.particles);
}
std::vector<double> SceneRenderer::view_state() const { return impl().renderer().view_state(); }
void SceneRenderer::set_view_state(const std::vector<double>& state) {
  impl().renderer().set_view_state(state);
}

}  // namespace firn

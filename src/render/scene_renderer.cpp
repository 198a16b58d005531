#include <algorithm>
#include <cmath>

#include "firn/render.h"
#include "src/render/collider_view.h"
#include "src/render/image.h"
#include "src/render/render.h"
#include "src/scene/output_channels.h"

namespace firn {

class SceneRenderer::Impl {
 public:
  explicit Impl(const Scene& scene) : scene_(scene), renderer_(scene_), colliders_(scene_) {
    scene_.output.image = true;
    scene_.output.particles.clear();
  }

  Image render(const Shown& s) {
    renderer_.aim(s.particles, s.time);
    const double open = scene_.output.motion_blur / scene_.simulation.fps;
    Image image = open > 0 ? blurred(s, open) : draw(s);
    renderer_.write_captions(image, s.time);
    return image;
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
    const double way = renderer_.pixels_moved(s.particles, open);
    const int count = std::clamp(static_cast<int>(std::ceil(way / kStep)), 1, kMost);
    MeanImage mean;
    for (int i = 0; i < count; ++i) mean.add(draw(at(s, ((i + 0.5) / count - 0.5) * open)));
    return mean.image();
  }

  Shown at(const Shown& s, double seconds) const {
    Shown moved{renderer_.moved_on(s.particles, seconds), renderer_.moved_on(s.tracers, seconds),
                s.colliders, s.time + seconds};
    const std::vector<ColliderState> scripted = scripted_colliders(scene_, moved.time);
    for (std::size_t i = 0; i < moved.colliders.size() && i < scripted.size(); ++i) {
      ColliderState& state = moved.colliders[i];
      if (!state.dynamic) state = scripted[i];
      for (std::size_t c = 0; state.dynamic && c < 3; ++c)
        state.translation[c] += seconds * state.velocity[c];
    }
    return moved;
  }

  Scene scene_;
  Renderer renderer_;
  ColliderView colliders_;
};

SceneRenderer::SceneRenderer(const Scene& scene) : impl_(std::make_unique<Impl>(scene)) {}
SceneRenderer::~SceneRenderer() = default;
SceneRenderer::SceneRenderer(SceneRenderer&&) noexcept = default;
SceneRenderer& SceneRenderer::operator=(SceneRenderer&&) noexcept = default;

Image SceneRenderer::render(const Simulation& simulation) { return render(shown_of(simulation)); }
Image SceneRenderer::render(const Shown& shown) { return impl_->render(shown); }
Shown SceneRenderer::shown_of(const Simulation& simulation) const {
  return {simulation.snapshot(impl_->parts()), simulation.tracers(), simulation.colliders(),
          simulation.time()};
}

void SceneRenderer::look_ahead(const Shown& shown) {
  impl_->renderer().look_ahead(shown.particles);
}
std::vector<double> SceneRenderer::view_state() const { return impl_->renderer().view_state(); }
void SceneRenderer::set_view_state(const std::vector<double>& state) {
  impl_->renderer().set_view_state(state);
}

}  // namespace firn

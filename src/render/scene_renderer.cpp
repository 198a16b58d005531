#include "firn/render.h"
#include "src/render/collider_view.h"
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
    return renderer_.render(s.particles, s.time, colliders_.poses(s.colliders),
                            colliders_.surfaces(s.colliders), s.tracers);
  }
  SnapshotParts parts() const { return shown_parts(scene_); }

 private:
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

}  // namespace firn

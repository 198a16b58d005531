#include <type_traits>

#include "firn/error.h"
#include "src/integrators/explicit.h"
#include "src/integrators/implicit.h"
#include "src/integrators/liquid.h"
#include "src/integrators/unified.h"
#include "src/run/on_device.h"
#include "src/run/scene_stepper.h"
#include "src/run/with_precision.h"

namespace firn {

namespace {

template <class Exec, int D, class Real>
std::unique_ptr<Stepper> make_integrator(const Scene& scene, std::unique_ptr<Exec> exec,
                                         ParticleNamer namer) {
  const IntegratorTraits& traits = traits_of(scene);
  const auto make = traits.implicit    ? make_scene_stepper<ImplicitIntegrator, Exec, D, Real>
                    : traits.unified   ? make_scene_stepper<UnifiedIntegrator, Exec, D, Real>
                    : traits.staggered ? make_scene_stepper<LiquidIntegrator, Exec, D, Real>
                                       : make_scene_stepper<ExplicitIntegrator, Exec, D, Real>;
  return make(scene, std::move(exec), std::move(namer), nullptr);
}

template <class Exec>
std::unique_ptr<Stepper> make_on(const Scene& scene, std::unique_ptr<Exec> exec,
                                 ParticleNamer namer) {
  const auto make = [&](auto dimension) {
    return with_precision(scene.simulation.precision, [&](auto zero) {
      return make_integrator<Exec, decltype(dimension)::value, decltype(zero)>(
          scene, std::move(exec), std::move(namer));
    });
  };
  return scene.simulation.dimension == 2 ? make(std::integral_constant<int, 2>{})
                                         : make(std::integral_constant<int, 3>{});
}

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Scene& scene, const RunOptions& options,
                                      ParticleNamer namer) {
  if (!runs_on_cuda(options))
    return make_on(scene, std::make_unique<Cpu>(options.threads), std::move(namer));
#if defined(FIRN_WITH_CUDA)
  auto exec = std::make_unique<Cuda>(options.device_index);
  exec->set_reproducible(scene.simulation.reproducible);
  return make_on(scene, std::move(exec), std::move(namer));
#else
  throw Error(ErrorCategory::kDevice, "this firn was built without CUDA; use --device cpu");
#endif
}

}  // namespace firn

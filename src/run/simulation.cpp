// The members of Simulation: what Impl does, with host memory that runs out told as an Error.
#include "firn/simulation.h"

#include <algorithm>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "firn/error.h"
#include "kernels/exec/backend.h"
#include "src/run/simulation_impl.h"
#include "src/scene/moved_from.h"

namespace firn {

namespace {

// Made while there is memory for its text.
const std::exception_ptr& out_of_memory() {
  static const std::exception_ptr error = std::make_exception_ptr(
      Error(ErrorCategory::kDevice, "out of memory; use fewer particles or a larger grid.dx"));
  return error;
}

// Host memory that runs out ends like device memory that does.
template <class Action>
auto with_memory(Action&& action) {
  const std::exception_ptr& exhausted = out_of_memory();
  try {
    return action();
  } catch (const std::bad_alloc&) {
    std::rethrow_exception(exhausted);
  } catch (const ThrownByCaller& thrown) {
    std::rethrow_exception(thrown.what);
  }
}

std::vector<ColliderImpulse> impulses_of(const std::vector<ColliderReaction>& sums) {
  std::vector<ColliderImpulse> impulses;
  impulses.reserve(sums.size());
  for (const ColliderReaction& sum : sums) impulses.push_back({sum.force, sum.torque, sum.power});
  return impulses;
}

// The values as T, if that takes them in without loss.
template <class T>
std::vector<T> lossless(FieldValues values, std::string_view name) {
  return std::visit(
      [&]<class Stored>(std::vector<Stored>& stored) -> std::vector<T> {
        if constexpr (std::is_same_v<T, Stored>) return std::move(stored);
        if constexpr (std::is_same_v<T, double>) return {stored.begin(), stored.end()};
        throw Error(ErrorCategory::kScene, "field \"" + std::string(name) + "\" holds " +
                                               name_of(element_type_of<Stored>()) + ", which " +
                                               name_of(element_type_of<T>()) +
                                               " cannot take in without loss");
      },
      values);
}

}  // namespace

Simulation::Simulation(const Scene& scene, const RunOptions& options,
                       const std::function<void(const Filling&)>& filling)
    : impl_(with_memory([&] { return std::make_unique<Impl>(scene, options, filling); })) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Simulation::Impl& Simulation::impl() const { return not_moved_from(impl_, "simulation"); }

bool Simulation::advance_frame(const std::function<bool()>& interrupted) {
  return with_memory([&] { return impl().advance_frame({interrupted, {}, {}}); });
}
bool Simulation::advance_frame(const Observer& observer) {
  return with_memory([&] { return impl().advance_frame(observer); });
}
bool Simulation::advance_until(double t, const Observer& observer) {
  return with_memory([&] { return impl().advance_until(t, observer); });
}
bool Simulation::advance_steps(std::int64_t steps, const Observer& observer) {
  return with_memory([&] { return impl().advance_steps(steps, observer); });
}
double Simulation::time() const { return impl().time(); }
void Simulation::set_force(Force force, Memory memory) {
  impl().set_force(std::move(force), memory);
}
void Simulation::set_grid_boundary(GridBoundary boundary, Memory memory) {
  impl().set_grid_boundary(std::move(boundary), memory);
}
std::vector<FieldInfo> Simulation::fields() const { return impl().whole_stepper().fields(); }
FieldView Simulation::field_view(std::string_view name) const {
  return impl().whole_stepper().field_view(name);
}
template <class T>
requires std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::uint32_t>
    std::vector<T> Simulation::field(std::string_view name)
const {
  return with_memory([&] { return lossless<T>(impl().whole_stepper().field_values(name), name); });
}
template std::vector<float> Simulation::field(std::string_view) const;
template std::vector<double> Simulation::field(std::string_view) const;
template std::vector<std::uint32_t> Simulation::field(std::string_view) const;
std::vector<std::uint32_t> Simulation::add_particles(const NewParticles& particles) {
  return with_memory([&] { return impl().add_particles(particles); });
}
void Simulation::remove_particles(std::span<const std::uint32_t> ids) {
  with_memory([&] { impl().remove_particles(ids); });
}
void Simulation::time_stages(bool on) { impl().stepper().time_stages(on); }
FrameStats Simulation::stats() const { return impl().stats(); }
Snapshot Simulation::snapshot(const SnapshotParts& parts) const {
  return with_memory([&] { return impl().snapshot(parts); });
}
Snapshot Simulation::tracers() const {
  return with_memory([&] { return impl().whole_stepper().tracers(); });
}
std::vector<ColliderImpulse> Simulation::collider_impulses() const {
  return impulses_of(impl().whole_stepper().reactions());
}
std::vector<ColliderImpulse> Simulation::contact_impulses() const {
  return impulses_of(impl().whole_stepper().contacts());
}
std::vector<ColliderState> Simulation::colliders() const {
  return impl().whole_stepper().colliders();
}
void Simulation::set_collider_motion(std::size_t collider, const Keyframes& motion) {
  impl().set_collider_motion(collider, motion);
}
void Simulation::set_collider_motion(const std::string& collider, const Keyframes& motion) {
  const std::vector<Collider>& all = impl().scene().colliders;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Collider& c) { return c.name == collider; });
  if (found == all.end())
    throw Error(ErrorCategory::kScene,
                "set_collider_motion: there is no collider \"" + collider + "\"");
  impl().set_collider_motion(static_cast<std::size_t>(found - all.begin()), motion);
}
Totals Simulation::totals() const { return impl().totals(); }
std::string Simulation::device_name() const { return impl().stepper().device_name(); }
bool Simulation::on_cuda() const { return device_name().starts_with("cuda"); }
std::vector<std::byte> Simulation::save_state() const {
  return with_memory([&] { return impl().save_state(); });
}
void Simulation::load_state(const std::vector<std::byte>& bytes) {
  with_memory([&] { impl().load_state(bytes); });
}

std::vector<std::string> cuda_devices() { return find_cuda_devices().names; }
std::string why_no_cuda_device() {
  const CudaDevices found = find_cuda_devices();
  return found.names.empty() ? found.problem : "";
}
bool built_with_cuda() {
#if defined(FIRN_WITH_CUDA)
  return true;
#else
  return false;
#endif
}

}  // namespace firn

// Views of fields on the host, whatever backend they come from, and by the ids of the particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "firn/simulation.h"
#include "kernels/exec/backend.h"

namespace firn::test {

// A view whose pointers the host can follow; those of a device's memory are copied.
class HostView {
 public:
  explicit HostView(FieldView view) : view_(view) {
    if (view.device < 0) return;
    if (view.chunks == 0) return;
    const std::int64_t elements = (view.chunks - 1) * view.chunk_stride +
                                  (view.components - 1) * view.component_stride +
                                  (view.lanes - 1) * view.lane_stride + 1;
    const std::size_t size = view.type == ElementType::kDouble ? 8 : 4;
    values_.resize(static_cast<std::size_t>(elements) * size);
    fetch(values_, view.data);
    view_.data = values_.data();
    if (view.counts == nullptr) return;
    counts_.resize(static_cast<std::size_t>((view.chunks - 1) * view.count_stride + 1) * 4);
    fetch(counts_, view.counts);
    view_.counts = reinterpret_cast<const std::uint32_t*>(counts_.data());
  }
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;

  const FieldView* operator->() const { return &view_; }

 private:
  static void fetch([[maybe_unused]] std::vector<std::byte>& to,
                    [[maybe_unused]] const void* from) {
#if defined(FIRN_WITH_CUDA)
    Cuda exec;
    exec.download(to.data(), from, to.size());
#endif
  }

  FieldView view_;
  std::vector<std::byte> values_, counts_;
};

// The values of a field by way of its view, in the order of the ids that the view of ids has.
template <class T>
std::vector<T> through_view(const Simulation& simulation, const std::string& name) {
  const HostView ids(simulation.field_view("id")), values(simulation.field_view(name));
  std::map<std::uint32_t, std::vector<T>> of_particles;
  for (std::int64_t c = 0; c < ids->chunks; ++c)
    for (int lane = 0; lane < ids->count(c); ++lane) {
      auto& of_particle = of_particles[ids->at<std::uint32_t>(c, 0, lane)];
      for (int k = 0; k < values->components; ++k) of_particle.push_back(values->at<T>(c, k, lane));
    }
  std::vector<T> in_order;
  for (const auto& [id, of_particle] : of_particles)
    in_order.insert(in_order.end(), of_particle.begin(), of_particle.end());
  return in_order;
}

}  // namespace firn::test

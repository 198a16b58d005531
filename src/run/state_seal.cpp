#include "src/run/state_seal.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "firn/error.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/parse.h"

namespace firn {

namespace {

// Behind the state: its kind, how long that is, the checksum of all before, and this.
constexpr std::array<char, 8> kStateMagic{'F', 'i', 'r', 'n', 'S', 't', '1', '1'};
constexpr std::size_t kTail = sizeof(std::uint64_t) + sizeof(std::uint32_t) + kStateMagic.size();

std::uint32_t crc_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::kFile, "the saved state " + why);
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

[[noreturn]] void refuse_kind(std::string_view saved, std::string_view here) {
  while (!saved.empty() || !here.empty()) {
    const std::string_view of_saved = next_line(saved), of_scene = next_line(here);
    if (of_saved != of_scene)
      refuse(fmt::format("is of another kind of scene: it has {}, this scene {}",
                         of_saved.empty() ? "no forces" : of_saved.substr(0, 200),
                         of_scene.empty() ? "no forces" : of_scene.substr(0, 200)));
  }
  refuse("is of another kind of scene");
}

std::string_view model_name(MaterialModel model) {
  for (const scene::ModelKeys& keys : scene::material_models())
    if (keys.model == model) return keys.name;
  return "?";
}

std::string domain_of(const Scene& scene) {
  if (!scene.grid.domain) return "none";
  std::string text;
  for (std::size_t a = 0; a < static_cast<std::size_t>(scene.simulation.dimension); ++a)
    text += fmt::format(
        "{}[{}, {}]{}", a > 0 ? " x " : "", scene.grid.domain->min[a], scene.grid.domain->max[a],
        scene.grid.domain->boundary[2 * a] == BoundaryType::kPeriodic ? " (periodic)" : "");
  return text;
}

}  // namespace

std::string kind_of_state(const Scene& scene) {
  std::string materials, colliders;
  for (const Material& m : scene.materials)
    materials += fmt::format("{}{} ({}, density {})", materials.empty() ? "" : ", ", m.name,
                             model_name(m.model), m.density);
  for (const Collider& c : scene.colliders)
    colliders += fmt::format("{}{}{}", colliders.empty() ? "" : ", ", c.name,
                             c.dynamics ? " (moved by material)" : "");
  return fmt::format(
      "integrator: {}\nsimulation.fps: {}\ntransfer.kernel: degree {}\nmaterials: {}\ncolliders: "
      "{}\n"
      "grid.domain: {}\noutput.diagnostics: {}\ntracers: {} per cell\n{}",
      traits_of(scene).name, scene.simulation.fps, scene.transfer.kernel, materials,
      colliders.empty() ? "none" : colliders, domain_of(scene),
      scene.output.diagnostics == DiagnosticsLevel::kOff ? "off" : "on", scene.tracers.per_cell,
      scene.forces.empty() ? "" : "forces: given\n");
}

std::size_t state_header_bytes(const Scene& scene) {
  constexpr std::size_t kCounts = 4096;
  return kCounts + kind_of_state(scene).size() + kTail;
}

std::vector<std::byte> sealed(std::vector<std::byte> state, const Scene& scene) {
  const auto add = [&](const void* from, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(from);
    state.insert(state.end(), bytes, bytes + size);
  };
  const std::string kind = kind_of_state(scene);
  const std::uint64_t size = kind.size();
  add(kind.data(), kind.size());
  add(&size, sizeof size);
  const std::uint32_t crc = crc_of(state);
  add(&crc, sizeof crc);
  add(kStateMagic.data(), kStateMagic.size());
  return state;
}

std::span<const std::byte> unsealed(std::span<const std::byte> bytes, const Scene& scene) {
  if (bytes.size() < kTail || std::memcmp(bytes.last(kStateMagic.size()).data(), kStateMagic.data(),
                                          kStateMagic.size()) != 0)
    refuse("is cut short, of another version of Firn, or none");
  const auto sum_of = bytes.first(bytes.size() - kStateMagic.size() - sizeof(std::uint32_t));
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  std::memcpy(&crc, sum_of.data() + sum_of.size(), sizeof crc);
  if (crc != crc_of(sum_of)) refuse("is damaged");
  const auto with_kind = sum_of.first(sum_of.size() - sizeof size);
  std::memcpy(&size, with_kind.data() + with_kind.size(), sizeof size);
  if (size > with_kind.size()) refuse("is damaged");
  const auto kind = with_kind.last(size);
  const std::string_view saved(reinterpret_cast<const char*>(kind.data()), kind.size());
  const std::string here = kind_of_state(scene);
  if (saved != here) refuse_kind(saved, here);
  return with_kind.first(with_kind.size() - size);
}

}  // namespace firn

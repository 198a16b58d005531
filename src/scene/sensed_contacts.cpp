#include "src/scene/sensed_contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace firn {
namespace {

// Whether something else than these bodies is made of it.
bool is_shared(const Scene& scene, int material, const std::set<int>& bodies) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (scene.bodies[b].material == material && !bodies.contains(static_cast<int>(b))) return true;
  return std::ranges::any_of(scene.sources,
                             [&](const Source& source) { return source.material == material; });
}

}  // namespace

SensedContacts sensed_contacts(const Scene& scene, const Sensor& sensor) {
  std::set<int> touching;
  for (const MaterialContact& contact : scene.contacts)
    touching.insert(contact.materials.begin(), contact.materials.end());
  const std::set<int> bodies(sensor.bodies.begin(), sensor.bodies.end());
  std::set<int> read(sensor.materials.begin(), sensor.materials.end());
  for (const int b : bodies) {
    const Body& body = scene.bodies[static_cast<std::size_t>(b)];
    if (is_shared(scene, body.material, bodies))
      return {{},
              fmt::format("there is more of the material of '{}': name it in the 'bodies' of a "
                          "[[contact]], and it has one of its own",
                          body.name)};
    read.insert(body.material);
  }
  std::erase_if(read, [&](int material) { return !touching.contains(material); });
  if (read.empty()) return {{}, "it touches nothing: name it in a [[contact]]"};
  return {{read.begin(), read.end()}, {}};
}

}  // namespace firn

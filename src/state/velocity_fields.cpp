#include "src/state/velocity_fields.h"

#include <cmath>

#include "src/scene/contact_limits.h"

namespace firn {

static_assert(kMostTouching < kMostFields, "and one field for all others");

VelocityFields velocity_fields(const Scene& scene) {
  VelocityFields fields;
  if (scene.contacts.empty()) return fields;
  constexpr std::uint8_t kNone = 255;
  fields.of_material.assign(scene.materials.size(), kNone);
  for (const MaterialContact& contact : scene.contacts)
    for (const int m : contact.materials) fields.of_material[static_cast<std::size_t>(m)] = 0;
  // Field 0 is that of what touches nothing, also where there is none of that.
  for (std::uint8_t& field : fields.of_material) {
    if (field == kNone)
      field = 0;
    else
      field = static_cast<std::uint8_t>(fields.count++);
  }
  const auto count = static_cast<std::size_t>(fields.count);
  fields.friction.assign(count * count, ContactPairs<double>::kBonded);
  fields.fill.assign(count, 0);
  const double cell = std::pow(scene.grid.dx, scene.simulation.dimension);
  for (std::size_t m = 0; m < scene.materials.size(); ++m)
    if (fields.of_material[m] != 0)
      fields.fill[fields.of_material[m]] = 1 / (scene.materials[m].density * cell);
  for (const MaterialContact& contact : scene.contacts)
    for (const int a : contact.materials)
      for (const int b : contact.materials)
        if (a != b)
          fields.friction[fields.of_material[static_cast<std::size_t>(a)] * count +
                          fields.of_material[static_cast<std::size_t>(b)]] = contact.friction;
  return fields;
}

}  // namespace firn

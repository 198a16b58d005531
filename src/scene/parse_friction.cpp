// `friction_hardening` of [material.<name>]: how the friction angle of sand grows with slip; its
// dilatancy; and what the ellipse of Cam clay needs.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "src/scene/parse.h"

namespace firn::scene {
namespace {

// The angle phi(q) = h0 + (h1 q - h3) exp(-h2 q) begins at h0 - h3, where it is smallest, and has
// its largest value at q = 1 / h2 + h3 / h1. Beyond a right angle, or below 0, the cone is inside
// out, and sand makes energy.
void check_friction_hardening(TableReader& table, const std::array<double, 4>& h) {
  const auto [h0, h1, h2, h3] = h;
  if (h0 < h3)
    return table.fail("friction_hardening",
                      fmt::format("'friction_hardening' begins at the angle h0 - h3, which must "
                                  "not be below 0, found {} - {}",
                                  degrees(h0), degrees(h3)));
  if (h1 == 0) return;  // it rises to h0
  const double largest =
      h2 > 0 ? h0 + h1 / h2 * std::exp(-1 - h2 * h3 / h1) : std::numeric_limits<double>::infinity();
  if (!(largest < std::numbers::pi / 2))
    table.fail(
        "friction_hardening",
        fmt::format("the largest angle of 'friction_hardening' must be below 90, found {:.4g}"
                    ": take a larger rate h2 (the third) or a smaller h1 (the second)",
                    degrees(largest)));
}

}  // namespace

void parse_friction_hardening(TableReader& table, std::array<double, 4>& out) {
  const Node* node = table.find("friction_hardening");
  if (node == nullptr || !read_type(*node, NodeType::kArray, "friction_hardening", table.context()))
    return;
  if (node->items.size() != 4) {
    table.fail(*node,
               fmt::format("'friction_hardening' must have 4 entries (h0, h1, h2, h3), found {}",
                           node->items.size()));
    return;
  }
  bool valid = true;
  for (std::size_t i = 0; i < 4; ++i) {
    valid &= read_number(node->items[i], "friction_hardening",
                         table.row("friction_hardening").range, out[i], table.context());
    if (i != 2) out[i] = radians(out[i]);
  }
  if (valid) check_friction_hardening(table, out);
}

// Beyond the friction angle shear would make energy.
void check_dilatancy(TableReader& table, const Material& m) {
  const std::array<double, 4>& h = m.friction_hardening;
  const double least = m.friction_angle > 0 ? m.friction_angle : h[0] - h[3];
  if (m.dilatancy_angle > 0 && m.dilatancy_angle > least + 1e-12)  // rounding
    table.fail("dilatancy_angle",
               fmt::format("'dilatancy_angle' must be at most the friction angle, which {} {:.4g} "
                           "degrees",
                           m.friction_angle > 0 ? "is" : "begins at", degrees(least)));
  if (m.dilatancy_limit && !(m.dilatancy_angle > 0))
    table.fail("dilatancy_limit", "is of 'dilatancy_angle', which is 0");
}

void check_cam_clay(TableReader& table, const Material& m) {
  if (m.model != MaterialModel::kCamClay) return;
  if (m.friction_angle == 0 && table.has("friction_angle"))
    table.fail("friction_angle", "'friction_angle' must be > 0: its ellipse has no height");
  if (m.hardening == 0 && m.hardening_law == HardeningLaw::kSinh && table.has("hardening"))
    table.fail("hardening", "'hardening' must be > 0 where 'hardening_law' is \"sinh\"");
}

}  // namespace firn::scene

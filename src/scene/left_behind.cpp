#include "src/scene/left_behind.h"

#include <algorithm>

namespace firn::scene {
namespace {

bool contains(const auto& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void leave_behind(Node& table, const std::string& material, ReadContext& context,
                  const auto& goes) {
  std::erase_if(table.entries, [&](const Entry& entry) {
    if (!goes(entry)) return false;
    context.left_behind.push_back({material, entry.key});
    return true;
  });
}

}  // namespace

bool is_unused(std::string_view key, const std::vector<std::string_view>& used,
               const Scene& scene) {
  const Key* row = kMaterial.find(key);
  return row != nullptr && includes(row->under, setting_of(scene)) &&
         !contains(kOfAllMaterials, key) && !contains(used, key);
}

void leave_model_behind(Node& table, const std::string& material, ReadContext& context) {
  const Node* preset = table.find("preset");
  if (preset == nullptr) return;
  const unsigned chosen = preset->layer;
  leave_behind(table, material, context, [&](const Entry& entry) {
    return entry.key == "model" && entry.value.layer < chosen;
  });
}

void leave_unused_behind(Node& table, const std::string& material,
                         const std::vector<std::string_view>& used, const Scene& scene,
                         ReadContext& context) {
  unsigned chosen = 0;
  for (const char* key : {"model", "preset"})
    if (const Node* node = table.find(key)) chosen = std::max(chosen, node->layer);
  leave_behind(table, material, context, [&](const Entry& entry) {
    return entry.value.layer < chosen && is_unused(entry.key, used, scene);
  });
}

}  // namespace firn::scene

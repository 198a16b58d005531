// What is left of a material when a variant or an override chooses another preset or model: the
// model and the parameters that were there before it and mean nothing now are taken out of its
// table, since nothing else could remove them. ReadContext::left_behind remembers them, for the
// scene that is written to be read again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/scene/parse.h"

namespace firn::scene {

// Whether a key of materials is none of those `used`, and no other integrator's, which is a finding
// of its own.
bool is_unused(std::string_view key, const std::vector<std::string_view>& used, const Scene& scene);

// A preset that came later brings its own model.
void leave_model_behind(Node& table, const std::string& material, ReadContext& context);

void leave_unused_behind(Node& table, const std::string& material,
                         const std::vector<std::string_view>& used, const Scene& scene,
                         ReadContext& context);

}  // namespace firn::scene

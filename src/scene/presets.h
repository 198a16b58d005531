// What the lists of named materials are made of (firn/scene_file.h has them all).
#pragma once

#include <vector>

#include "firn/scene_file.h"

namespace firn {

// Without a description and a source.
MaterialPreset elastic_preset(const char* name, MaterialModel model, double density,
                              double youngs_modulus, double poisson_ratio, const Vec3& color);

// Solids that melt under the thermal integrator.
std::vector<MaterialPreset> melting_presets();

}  // namespace firn

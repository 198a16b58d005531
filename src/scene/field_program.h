// From a field of a scene to what kernels evaluate: expressions in muParser's syntax become postfix
// programs (kernels/math/field_program.h) that have the values FieldEvaluator has. (muParser knows
// _pi to twelve digits and folds 0.5 && 1 to 0; these are not imitated.)
#pragma once

#include <vector>

#include "firn/scene.h"
#include "kernels/math/field_program.h"

namespace firn {

// Empty for a constant. Throws Error{kScene} for an expression that is malformed, or nested too
// deeply for kernels.
std::vector<FieldInstruction> compile_field(const ScalarField& field);

}  // namespace firn

// What the bodies of a scene that material moves weigh: mass, centre of mass and inertia of their
// shapes.
#pragma once

#include <vector>

#include "firn/scene.h"
#include "kernels/collide/rigid_body.h"
#include "src/scene/shapes.h"

namespace firn {

// Of a shape that is filled evenly with `density` (kg/m^3; 2D: kg/m^2). The box around it is halved
// along every axis again and again where its surface is; the last cells, 2^-7 of the box in 3D and
// 2^-9 in 2D, count by what a plane at the distance of the surface leaves of them. That is exact
// for planes and of second order in the size of the cells for what is curved or has edges.
// Throws Error{kScene} for a shape without end or without volume; `what` names its owner.
RigidMass mass_properties(const CompiledShape& shape, double density, const std::string& what);

// Of every collider with `dynamics`, in their order. Throws Error{kScene}, which names the
// collider, where there can be no such body.
std::vector<RigidMass> rigid_masses(const Scene& scene);

// Key frames that a collider can follow: at least one time, all increasing and finite, and as many
// translations and rotations, or none. Throws Error{kScene}; `what` names the collider.
void check_motion(const Keyframes& motion, const std::string& what);

}  // namespace firn

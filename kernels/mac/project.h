// The pressure projection on the MAC grid: the system of [APIC 6] on fluid
// cells, the velocities it makes divergence-free, and their continuation to the faces beyond that
// particles read.
#pragma once

#include <utility>

#include "kernels/exec/backend.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// Coefficients and right-hand side for the unknown p dt: -div(w grad(p dt)) = -div u, with fluxes
// through the open part of each face only, the boundary's velocity through the rest, and p = 0 in
// air.
template <class Exec, int D, class Real>
void assemble_projection(Exec& exec, const GridView<Real>& grid, const MacView<Real>& mac,
                         std::uint32_t max_blocks, const StepControl* control);

// u -= w grad(p dt) on the faces of fluid cells, which become the valid ones.
template <class Exec, int D, class Real>
void apply_pressure(Exec& exec, const GridView<Real>& grid, const MacView<Real>& mac,
                    std::uint32_t max_blocks, const StepControl* control);

// From the solution of the correction's system to kFaceCorrection, on the same faces; to 0 with
// `found` false. What kFaceSpecificVolume held is gone.
template <class Exec, int D, class Real>
void apply_correction(Exec& exec, bool found, const GridView<Real>& grid, const MacView<Real>& mac,
                      std::uint32_t max_blocks, const StepControl* control);

// Gives faces beside valid ones the mean of these, velocity and correction, layer by layer; with
// `gaps_only`, after accelerate_faces, only around faces of fluid cells that have no velocity yet,
// and beside boundaries.
template <class Exec, int D, class Real>
void extrapolate_faces(Exec& exec, int layers, bool gaps_only, const MacView<Real>& mac,
                       std::uint32_t max_blocks, const StepControl* control);

// The view after that many layers: each writes the mask of valid faces that the one before it read.
template <class Real>
MacView<Real> after_layers(int layers, MacView<Real> mac) {
  if (layers % 2 == 1) std::swap(mac.valid, mac.reached);
  return mac;
}

// After constrain_faces (boundaries.h): the velocities that particles will read, and their
// increments. Both look at the faces that are valid or read (MacView).
template <class Exec, int D, class Real>
void complete_faces(Exec& exec, const MacView<Real>& mac, std::uint32_t max_blocks,
                    const StepControl* control);

}  // namespace firn

// Faces beyond the liquid. Particles near a surface also lie on faces that no fluid cell touches;
// those have no velocity of their own but one continued from the faces within, and material that
// resists shear feels the strain of that. The continuation is a linear map E, and the forces that
// go with it are E^T times those of the outer faces: work done by stress is what elastic energy
// loses. Dropped instead, a block of foam shakes itself to pieces.
//
// E continues along straight lines: where a block turns, velocities beyond it that were the mean of
// their neighbours, as particles read them (extrapolate_faces), would be a shear strain all around
// it, and the stress of that would turn it back like a spring. Mass and momentum do go to the mean
// of the neighbours, since lines would give away more than there is.
//
// The mean is also what particles read there (extrapolate_faces). With W its matrix, whose rows sum
// to 1, M the masses of all faces and v = W^T M u / W^T M 1: sum M (W v)^2 <= sum M u^2, and
// sum M W v = sum M u. To the faces within and back out makes no energy and loses no momentum.
// Without W^T the water of a film on a slope, most of whose faces lie in cut cells, gains a percent
// in every step.
#pragma once

#include <utility>

#include "kernels/exec/backend.h"
#include "kernels/mac/face_layers.h"
#include "kernels/step/control.h"

namespace firn {

// The view after that many layers have handed on what they hold: each reads from `given` which
// faces hold anything, and writes it to `read`, which means nothing before accelerate_faces.
template <class Real>
MacView<Real> after_handing_on(int layers, MacView<Real> mac) {
  if (layers % 2 == 1) std::swap(mac.given, mac.read);
  return mac;
}

// Of what the particles have given to the faces: the impulse of the stress by x_own += E^T x_outer,
// the rest to the mean of the neighbours. What outer layers hold means nothing afterwards. Then
// comes after_handing_on().
template <class Exec, int D, class Real>
void transpose_faces(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                     const LaunchRange& blocks);
// x_own += E^T x_outer of a channel of faces, [block][axis][64].
template <class Exec, int D, class Real>
void transpose_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                       Real* channel, const LaunchRange& blocks);

// x_outer = E x_own; of a channel that is `walls` times a velocity.
template <class Exec, int D, class Real>
void extrapolate_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                         Real* channel, Real walls, const LaunchRange& blocks);
// Of the velocities that particles will read, those that strain is taken from, to kFaceStrained.
// Where faces cling, particles read them for velocities too.
template <class Exec, int D, class Real>
void extrapolate_velocities(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                            const LaunchRange& blocks);

}  // namespace firn

// Bodies that material moves, within a step: before the grid update it is found out how they will
// move, so that a light body follows the material instead of being thrown back and forth; after it
// they take up what the nodes have lost.
#pragma once

#include "kernels/grid/pose_colliders.h"

namespace firn {

// Tables of `update_with_bodies` and `take_impulses`, all zero between steps but for `systems`.
struct BodyScratch {
  double* systems = nullptr;   // per block and body near it: ContactSystem<D>::kColumns
  double* sums = nullptr;      // per body: the same
  double* impulses = nullptr;  // per collider: kReactionColumns, of this step
};

// Of contact that separates or rubs: which nodes touch, and how much they rub, depends on how the
// body moves. Each round judges them by the last one's motion. What is applied to the grid is by
// the last judgement, so that it always fits the motion that was solved for; more rounds only make
// the judgement fit, too. Two rounds are left to the rare node that changes its mind twice.
inline constexpr int kContactRounds = 4;

// grid_update with such bodies: poses all colliders for this step, solves for the velocities of the
// bodies, which are then in params.poses (those by which contacts were judged in params.judged),
// and updates the grid. `rounds` is 1 where contact is sticky or slips, which no velocity changes,
// else kContactRounds.
template <class Exec, int D, class Real>
void update_with_bodies(Exec& exec, const GridUpdateParams<Real, D>& params, const BodyView& moved,
                        const BodyScratch& scratch, int rounds, const GridView<Real>& grid,
                        std::uint32_t max_blocks, const StepControl* control);

// After the grid update: takes the summed reactions of this step into the momenta.
template <class Exec, int D, class Real>
void take_impulses(Exec& exec, const GridUpdateParams<Real, D>& params, const BodyView& moved,
                   const BodyScratch& scratch, std::uint32_t max_blocks,
                   const StepControl* control);
// At the end of a step: moves the bodies, and has the speed of their surfaces count for dt.
template <class Exec, int D, class Real>
void move_bodies(Exec& exec, const GridUpdateParams<Real, D>& params, const BodyView& moved,
                 StepControl* control);

}  // namespace firn

// What a viewer can colour particles by, and how a picture is made of a snapshot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/view/detail_order.h"
#include "src/view/picture.h"

namespace firn::view {

struct ViewChannel {
  std::string name, label, unit;
  bool category = false;   // levels are indices: material, body
  bool diverging = false;  // zero has a colour of its own, in the middle
  bool costly = false;     // made only while somebody looks at it
};
// What the scene has, "material" first.
std::vector<ViewChannel> view_channels(const Scene& scene);

// Makes the pictures of one run, one after the other.
class PictureMaker {
 public:
  PictureMaker(const Scene& scene, std::size_t most_points);

  // What of a snapshot the channels need.
  SnapshotParts parts() const;

  // Channels that the snapshot has no values of (between two steps velocities may lie on the grid)
  // are those of the last picture that had them, as long as the particles are the same.
  // `frame`: how many are complete; `costly`: a costly channel that is wanted.
  Picture make(const Snapshot& snapshot, int frame, const std::string& costly);
  // Those of the same moment, for `Picture::tracers`.
  PictureTracers tracers(const Snapshot& tracers);

 private:
  std::shared_ptr<const Levels> volume_of(const Snapshot& snapshot,
                                          const std::vector<std::uint32_t>& order) const;
  std::shared_ptr<const Levels> levels_of(const ViewChannel& channel, const Snapshot& snapshot,
                                          const std::vector<std::uint32_t>& order) const;

  std::vector<ViewChannel> channels_;
  std::size_t most_points_;
  DetailOrder order_, tracer_order_;
  std::uint64_t kept_at_ = 0;  // DetailOrder::changes of the last picture
  std::vector<Channel> last_;
  std::shared_ptr<const Levels> volume_, tracer_bodies_;
};

}  // namespace firn::view

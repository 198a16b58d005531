// Particles as a points grid of OpenVDB. Attributes are stored as floats: the library's default for
// positions, 16 bits within the voxel, has steps of dx / 65536, while floats in the world have
// finer ones up to some 128 cells from the origin. In place of that the part of a position within
// its voxel is rounded to what its float tells, so that reading gives the same float again (around
// the origin it or the next one), and the bits below are zeros, which compress.
#include "src/io/particle_files.h"

#if defined(FIRN_WITH_OPENVDB)
#include <openvdb/points/PointAttribute.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/tools/PointIndexGrid.h>

#include <algorithm>
#include <cmath>

#include "src/io/vdb_archive.h"
#endif

#include "firn/error.h"

namespace firn {

#if defined(FIRN_WITH_OPENVDB)
namespace {

namespace points = openvdb::points;
using Grid = points::PointDataGrid;
using IndexGrid = openvdb::tools::PointIndexGrid;

// In voxels, rounded to a power of two that is no more than the spacing of floats next to x.
double in_voxels(float x, double dx) {
  constexpr int kDigits = 23;
  if (x == 0) return 0;
  const int bits = std::ilogb(dx) - std::ilogb(std::nextafter(x, 0.0f)) + kDigits + 1;
  const double step = std::ldexp(1.0, -std::max(bits, 0));
  return std::nearbyint(x / dx / step) * step;
}

// As OpenVDB asks for positions: in the world, which for it are the voxels until they are written.
class Positions {
 public:
  using PosType = openvdb::Vec3d;
  using value_type = openvdb::Vec3d;
  Positions(const std::vector<float>& values, int dimension, double dx)
      : values_(values), d_(static_cast<std::size_t>(dimension)), dx_(dx) {}
  std::size_t size() const { return values_.size() / d_; }
  template <class Vector>
  void getPos(std::size_t p, Vector& x) const {  // NOLINT(readability-identifier-naming)
    const float* from = &values_[p * d_];
    const auto at = [&](std::size_t i) { return i < d_ ? in_voxels(from[i], dx_) * dx_ : 0.0; };
    x = Vector(at(0), at(1), at(2));
  }

 private:
  const std::vector<float>& values_;
  std::size_t d_;
  double dx_;
};

// As OpenVDB asks for the values of an attribute.
template <class Value, class Make>
class Values {
 public:
  using value_type = Value;
  explicit Values(Make make) : make_(make) {}
  template <class T>
  void get(T& value, openvdb::Index64 p) const {
    value = static_cast<T>(make_(p));
  }
  template <class T>
  void get(T& value, openvdb::Index64 p, openvdb::Index) const {
    get(value, p);
  }

 private:
  Make make_;
};

template <class Value, class Make>
void add(Grid& grid, const IndexGrid& index, const std::string& name, Make make) {
  points::appendAttribute<Value>(grid.tree(), name);
  points::populateAttribute(grid.tree(), index.tree(), name, Values<Value, Make>(make));
}

void add_channel(Grid& grid, const IndexGrid& index, const ChannelArray& channel, int dimension) {
  const std::string name = channel.name == "velocity" ? "v" : channel.name;
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const int flat = component_count(channel.rank, dimension);
        const auto at = [&values, &channel, flat, dimension](std::size_t p, int c) {
          const int from = flat_component(channel.rank, dimension, c);
          return from < 0 ? T{} : values[p * flat + from];
        };
        if constexpr (!std::is_same_v<T, float>) {
          add<std::int32_t>(grid, index, name,
                            [at](std::size_t p) { return static_cast<std::int32_t>(at(p, 0)); });
        } else if (space_count(channel.rank, dimension) == 9) {
          add<openvdb::math::Mat3<float>>(grid, index, name, [at](std::size_t p) {
            openvdb::math::Mat3<float> m;
            for (int c = 0; c < 9; ++c) m(c / 3, c % 3) = at(p, c);
            return m;
          });
        } else if (space_count(channel.rank, dimension) == 3) {
          add<openvdb::Vec3f>(grid, index, name, [at](std::size_t p) {
            return openvdb::Vec3f(at(p, 0), at(p, 1), at(p, 2));
          });
        } else {
          add<float>(grid, index, name, [at](std::size_t p) { return at(p, 0); });
        }
      },
      channel.values);
}

}  // namespace

void write_vdb_points(const std::filesystem::path& path, const ParticleColumns& columns) {
  openvdb::initialize();
  const auto& position = std::get<std::vector<float>>(columns.channels.front().values);
  const double dx = columns.mark.dx;
  if (!(dx > 0))
    throw Error(ErrorCategory::kFile,
                path.string() + ": cannot write: the size of the voxels, dx, is not known");
  const Positions positions(position, columns.dimension, dx);
  const auto transform = openvdb::math::Transform::createLinearTransform(dx);
  const auto index = openvdb::tools::createPointIndexGrid<IndexGrid>(positions, *transform);
  const auto grid =
      points::createPointDataGrid<points::NullCodec, Grid>(*index, positions, *transform);
  grid->setName("points");
  for (const ChannelArray& channel : columns.channels)
    if (channel.name != "position") add_channel(*grid, *index, channel, columns.dimension);
  points::compactAttributes(grid->tree());  // what is the same all over a leaf
  mark_grid(*grid, columns.mark);
  write_grids(path, {grid});
}

#else

void write_vdb_points(const std::filesystem::path& path, const ParticleColumns&) {
  throw Error(ErrorCategory::kScene, path.string() +
                                         ": points of OpenVDB need a build with it "
                                         "(FIRN_WITH_OPENVDB=ON)");
}

#endif

}  // namespace firn

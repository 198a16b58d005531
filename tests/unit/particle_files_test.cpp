// What a PLY and an NPZ file hold is what the snapshot held: read back here by the letter of the
// formats, not by the code that wrote them.
#include "src/io/particle_files.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <sstream>

#include "firn/error.h"
#include "src/analysis/vorticity.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/snapshots.h"

namespace firn {
namespace {

using test::expect_error;
using test::random_snapshot;
using test::ScratchFolder;
using test::text_of;

template <class T>
T value_at(const std::string& bytes, std::size_t offset) {
  T value;
  if (offset + sizeof value > bytes.size()) throw std::out_of_range("past the end of the file");
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Every property of a binary PLY file with one element, as doubles.
std::map<std::string, std::vector<double>> read_ply(const std::string& bytes) {
  const std::string end = "end_header\n";
  std::size_t offset = bytes.find(end) + end.size(), particles = 0;
  std::istringstream header(bytes.substr(0, offset));
  std::vector<std::pair<std::string, std::string>> properties;
  for (std::string line, word, type, name; std::getline(header, line);) {
    std::istringstream words(line);
    words >> word >> type >> name;
    if (word == "element") particles = std::stoul(name);
    if (word == "property") properties.emplace_back(type, name);
  }
  std::map<std::string, std::vector<double>> values;
  for (std::size_t p = 0; p < particles; ++p)
    for (const auto& [type, name] : properties) {
      if (type == "float") values[name].push_back(value_at<float>(bytes, offset));
      if (type == "ushort") values[name].push_back(value_at<std::uint16_t>(bytes, offset));
      if (type == "uint") values[name].push_back(value_at<std::uint32_t>(bytes, offset));
      offset += type == "ushort" ? 2 : 4;
    }
  EXPECT_EQ(offset, bytes.size());
  return values;
}

template <class T>
std::vector<double> component(const std::vector<T>& values, std::size_t stride, std::size_t c) {
  std::vector<double> result;
  for (std::size_t i = c; i < values.size(); i += stride) result.push_back(values[i]);
  return result;
}

class ParticleFilesIn : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimension, ParticleFilesIn, testing::Values(2, 3));

TEST_P(ParticleFilesIn, PlyHoldsEveryChannel) {
  const ScratchFolder folder;
  const std::size_t d = static_cast<std::size_t>(GetParam());
  const Snapshot s = random_snapshot(GetParam(), 40'000);  // more than one block of rows
  write_ply(folder / "p.ply", columns_of(s, particle_channels()));
  const std::string bytes = text_of(folder / "p.ply");
  EXPECT_TRUE(bytes.starts_with("ply\nformat binary_little_endian 1.0\n"));
  const auto read = read_ply(bytes);
  const std::vector<double> zeros(s.size(), 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis(1, "xyz"[i]);
    EXPECT_EQ(read.at(axis), i < d ? component(s.position, d, i) : zeros);
    EXPECT_EQ(read.at("v" + axis), i < d ? component(s.velocity, d, i) : zeros);
  }
  EXPECT_EQ(read.at("material"), component(s.material, 1, 0));
  EXPECT_EQ(read.at("body"), component(s.body, 1, 0));
  EXPECT_EQ(read.at("id"), component(s.id, 1, 0));
  EXPECT_EQ(read.at("mass"), component(s.mass, 1, 0));
  EXPECT_EQ(read.at("volume"), component(s.volume, 1, 0));
  EXPECT_EQ(read.at("plastic_state"), component(s.plastic_state, 1, 0));
  EXPECT_EQ(read.at("temperature"), component(s.temperature, 1, 0));
  EXPECT_EQ(read.at("phase"), component(s.phase, 1, 0));
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      const std::string index = "_" + std::to_string(i) + std::to_string(j);
      EXPECT_EQ(read.at("deformation_gradient" + index),
                component(s.deformation_gradient, d * d, i * d + j));
      EXPECT_EQ(read.at("stress" + index), component(s.kirchhoff_stress, d * d, i * d + j));
    }
  const std::vector<float> omega = vorticity(s);
  const std::size_t axes = d == 2 ? 1 : 3;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::string name = d == 2 ? "vorticity" : "vorticity_" + std::string(1, "xyz"[i]);
    EXPECT_EQ(read.at(name), component(omega, axes, i));
  }
  EXPECT_GT(*std::max_element(omega.begin(), omega.end()), 0.0f);
  EXPECT_EQ(read.size(), 6 + 11 + 2 * d * d + axes);
}

TEST(ParticleFiles, DerivedChannels) {
  const ScratchFolder folder;
  Snapshot s = random_snapshot(2, 1);
  s.velocity = {3, -4};
  write_ply(folder / "p.ply", columns_of(s, {"speed"}));
  const auto read = read_ply(text_of(folder / "p.ply"));
  EXPECT_EQ(read.at("speed"), std::vector{5.0});
  EXPECT_EQ(read.size(), 4u);
}

// The radius of a disc, and of a ball.
TEST_P(ParticleFilesIn, ScaleIsARadius) {
  const ScratchFolder folder;
  Snapshot s = random_snapshot(GetParam(), 1);
  const double radius = 0.0625;
  s.volume = {static_cast<float>(GetParam() == 2
                                     ? std::numbers::pi * radius * radius
                                     : 4 * std::numbers::pi / 3 * radius * radius * radius)};
  write_ply(folder / "p.ply", columns_of(s, {"pscale"}));
  const double rounding = 2 * double{std::numeric_limits<float>::epsilon()} * radius;
  EXPECT_NEAR(read_ply(text_of(folder / "p.ply")).at("pscale").at(0), radius, rounding);
}

TEST(ParticleFiles, NoParticlesAndRepeatedChannels) {
  const ScratchFolder folder;
  write_ply(folder / "p.ply", columns_of(random_snapshot(3, 0), {"id", "id", "position"}));
  EXPECT_NE(text_of(folder / "p.ply").find("element vertex 0\n"), std::string::npos);
  write_ply(folder / "p.ply", columns_of(random_snapshot(3, 2), {"id", "id", "position"}));
  EXPECT_EQ(read_ply(text_of(folder / "p.ply")).size(), 4u);
}

struct NpyArray {
  std::string header, data;
};

// The members of a ZIP64 archive without compression, found through its directory as any reader
// does.
std::map<std::string, NpyArray> read_npz(const std::string& bytes) {
  const std::size_t locator = bytes.size() - 22 - 20;
  EXPECT_EQ(value_at<std::uint32_t>(bytes, bytes.size() - 22), 0x06054b50u);
  EXPECT_EQ(value_at<std::uint32_t>(bytes, locator), 0x07064b50u);
  const auto end = value_at<std::uint64_t>(bytes, locator + 8);
  EXPECT_EQ(value_at<std::uint32_t>(bytes, end), 0x06064b50u);
  EXPECT_EQ(end + 56, locator);
  const auto members = value_at<std::uint64_t>(bytes, end + 32);
  auto entry = value_at<std::uint64_t>(bytes, end + 48);
  std::map<std::string, NpyArray> arrays;
  for (std::uint64_t m = 0; m < members; ++m) {
    EXPECT_EQ(value_at<std::uint32_t>(bytes, entry), 0x02014b50u);
    const auto crc = value_at<std::uint32_t>(bytes, entry + 16);
    const auto name_size = value_at<std::uint16_t>(bytes, entry + 28);
    const std::string name = bytes.substr(entry + 46, name_size);
    const auto size = value_at<std::uint64_t>(bytes, entry + 46 + name_size + 4);
    const auto local = value_at<std::uint64_t>(bytes, entry + 46 + name_size + 20);
    entry += 46u + name_size + 28u;

    EXPECT_EQ(value_at<std::uint32_t>(bytes, local), 0x04034b50u);
    EXPECT_EQ(bytes.substr(local + 30, name_size), name);
    const std::string member = bytes.substr(local + 30 + name_size + 20, size);
    EXPECT_EQ(crc32_z(0, reinterpret_cast<const Bytef*>(member.data()), member.size()), crc);
    EXPECT_EQ(member.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t data = 10u + value_at<std::uint16_t>(member, 8);
    EXPECT_EQ(data % 64, 0u);
    EXPECT_EQ(member[data - 1], '\n');
    arrays[name] = {member.substr(10, member.find('}') + 1 - 10), member.substr(data)};
  }
  EXPECT_EQ(entry, end);
  return arrays;
}

template <class T>
void expect_array(const NpyArray& array, const std::string& type, const std::string& shape,
                  const std::vector<T>& values) {
  EXPECT_EQ(array.header,
            "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }");
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  EXPECT_EQ(array.data, std::string(bytes, bytes + values.size() * sizeof(T)));
}

TEST_P(ParticleFilesIn, NpzHoldsEveryChannel) {
  const ScratchFolder folder;
  const Snapshot s = random_snapshot(GetParam(), 1000);
  write_npz(folder / "p.npz", columns_of(s, particle_channels()));
  auto read = read_npz(text_of(folder / "p.npz"));
  const std::string d = std::to_string(GetParam());
  const std::string scalar = "(1000,)", vector = "(1000, " + d + ")",
                    tensor = "(1000, " + d + ", " + d + ")";
  expect_array(read["position.npy"], "<f4", vector, s.position);
  expect_array(read["velocity.npy"], "<f4", vector, s.velocity);
  expect_array(read["material.npy"], "<u2", scalar, s.material);
  expect_array(read["body.npy"], "<u2", scalar, s.body);
  expect_array(read["id.npy"], "<u4", scalar, s.id);
  expect_array(read["mass.npy"], "<f4", scalar, s.mass);
  expect_array(read["volume.npy"], "<f4", scalar, s.volume);
  expect_array(read["plastic_state.npy"], "<f4", scalar, s.plastic_state);
  expect_array(read["temperature.npy"], "<f4", scalar, s.temperature);
  expect_array(read["phase.npy"], "<u2", scalar, s.phase);
  expect_array(read["deformation_gradient.npy"], "<f4", tensor, s.deformation_gradient);
  expect_array(read["stress.npy"], "<f4", tensor, s.kirchhoff_stress);
  expect_array(read["vorticity.npy"], "<f4", GetParam() == 2 ? scalar : vector, vorticity(s));
  EXPECT_EQ(read.size(), 1 + particle_channels().size());
}

TEST(ParticleFiles, EqualSnapshotsGiveEqualBytes) {
  const ScratchFolder folder;
  for (const char* name : {"a.npz", "b.npz"})
    write_npz(folder / name, columns_of(random_snapshot(3, 50), {"velocity"}));
  EXPECT_EQ(text_of(folder / "a.npz"), text_of(folder / "b.npz"));
}

TEST(ParticleFiles, NpzWithoutParticles) {
  const ScratchFolder folder;
  write_npz(folder / "p.npz", columns_of(random_snapshot(3, 0), {"id"}));
  auto read = read_npz(text_of(folder / "p.npz"));
  expect_array(read["position.npy"], "<f4", "(0, 3)", std::vector<float>());
  expect_array(read["id.npy"], "<u4", "(0,)", std::vector<std::uint32_t>());
}

TEST(ParticleFiles, UnknownChannelIsRefusedWithASuggestion) {
  const ScratchFolder folder;
  for (const auto write : {write_ply, write_npz}) {
    expect_error(ErrorCategory::kScene, {"'velocty'", "did you mean 'velocity'?"},
                 [&] { write(folder / "p", columns_of(random_snapshot(3, 1), {"velocty"})); });
    expect_error(ErrorCategory::kScene, {"did you mean 'pressure'?"},
                 [&] { write(folder / "p", columns_of(random_snapshot(3, 1), {"presure"})); });
  }
  EXPECT_EQ(test::file_count(folder.path()), 0u);
}

// As NumPy writes them that were read as 32 bits.
TEST(ParticleFiles, WiderIntegersAreReadWhereTheyFit) {
  const Snapshot s = random_snapshot(3, 20);
  ParticleColumns columns = columns_of(s, {"material", "mass"}, {});
  std::vector<std::uint32_t> wide(s.material.begin(), s.material.end());
  columns.channels[1].values = wide;
  EXPECT_EQ(snapshot_of(columns).material, s.material);
  wide.back() = 70'000;  // more than 16 bits hold
  columns.channels[1].values = wide;
  expect_error(ErrorCategory::kFile, {"material", "70000"}, [&] { snapshot_of(columns); });
  columns.channels[1].values = std::vector<float>(20, 0.5f);
  expect_error(ErrorCategory::kFile, {"material", "0.5"}, [&] { snapshot_of(columns); });
}

TEST(ParticleFiles, MissingDataIsRefused) {
  const ScratchFolder folder;
  Snapshot s = random_snapshot(3, 4);
  s.kirchhoff_stress.clear();
  s.pressure.clear();
  s.dx = 0;
  for (const char* channel : {"stress", "pressure", "vorticity"})
    expect_error(ErrorCategory::kFile, {std::string("\"") + channel + "\""},
                 [&] { write_ply(folder / "p.ply", columns_of(s, {channel})); });
}

TEST(ParticleFiles, FullDiskLeavesNoFile) {
  const ScratchFolder folder;
  const test::FileSizeLimit limit(10'000);
  for (const auto write : {write_ply, write_npz})
    expect_error(ErrorCategory::kFile, {(folder / "p").string(), "File too large"},
                 [&] { write(folder / "p", columns_of(random_snapshot(3, 5000), {})); });
  EXPECT_EQ(test::file_count(folder.path()), 0u);
}

}  // namespace
}  // namespace firn

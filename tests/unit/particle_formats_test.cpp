// The table of formats: scenes know its words, every writer is whole or absent, and what Firn wrote
// it reads again.
#include "src/io/particle_formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "src/io/particle_files.h"
#include "src/io/pvd_file.h"
#include "src/io/run_directory.h"
#include "src/scene/keys.h"
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

TEST(ParticleFormats, AreTheWordsOfScenes) {
  const scene::Key* key = scene::kOutput.find("particles");
  ASSERT_NE(key, nullptr);
  const std::vector<scene::Word> words = key->all_words();
  const auto formats = particle_formats();
  ASSERT_EQ(words.size(), formats.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i].name, formats[i].name);
    EXPECT_EQ(words[i].about, formats[i].about);
    EXPECT_EQ(find_particle_format(words[i].name), &formats[i]);
  }
  EXPECT_EQ(find_particle_format("plx"), nullptr);
}

ParticleColumns some_columns(int dimension, std::size_t particles) {
  return columns_of(random_snapshot(dimension, particles), particle_channels(),
                    {3, 0.125, 0.5, "y"});
}

TEST(ParticleFormats, WriteNothingOrAWholeFile) {
  for (const ParticleFormat& format : particle_formats()) {
    if (!format.built) continue;
    SCOPED_TRACE(format.name);
    const ScratchFolder folder;
    const auto path = folder / ("p." + std::string(format.extension));
    format.write(path, some_columns(3, 100));
    EXPECT_EQ(test::file_count(folder.path()), 1u);
    const std::string whole = text_of(path);
    {
      const test::FileSizeLimit limit(10'000);
      expect_error(ErrorCategory::kFile, {path.string(), "File too large"},
                   [&] { format.write(path, some_columns(3, 5000)); });
    }
    EXPECT_EQ(text_of(path), whole);
    EXPECT_EQ(test::file_count(folder.path()), 1u);
  }
}

TEST(ParticleFormats, EqualColumnsGiveEqualBytes) {
  for (const ParticleFormat& format : particle_formats()) {
    if (!format.built) continue;
    SCOPED_TRACE(format.name);
    const ScratchFolder folder;
    for (const char* name : {"a", "b"}) format.write(folder / name, some_columns(3, 700));
    EXPECT_EQ(text_of(folder / "a"), text_of(folder / "b"));
  }
}

// Of formats that are not compressed to within their headers, of others roughly.
TEST(ParticleFormats, KnowTheSizeOfTheirFiles) {
  for (const ParticleFormat& format : particle_formats())
    for (const int d : {2, 3}) {
      if (!format.built) continue;
      SCOPED_TRACE(std::string(format.name) + " " + std::to_string(d));
      const ScratchFolder folder;
      const ParticleColumns columns =
          columns_of(random_snapshot(d, 20'000), {"velocity", "id", "stress"}, {0, 0, 0.5, "y"});
      format.write(folder / "p", columns);
      const double size = static_cast<double>(text_of(folder / "p").size()),
                   told = 20'000 * format.bytes(columns.channels, d);
      const bool packed = format.name == "vtp" || format.name == "vdb";
      EXPECT_NEAR(size, told, packed ? 0.3 * told : 2000);
    }
}

void expect_same(const ParticleColumns& read, const ParticleColumns& written) {
  EXPECT_EQ(read.dimension, written.dimension);
  EXPECT_EQ(read.particles, written.particles);
  ASSERT_EQ(read.channels.size(), written.channels.size());
  for (const ChannelArray& channel : written.channels) {
    SCOPED_TRACE(channel.name);
    const ChannelArray* other = read.find(channel.name);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->rank, channel.rank);
    EXPECT_TRUE(other->values == channel.values);
  }
}

class ParticleReadersIn : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dimension, ParticleReadersIn, testing::Values(2, 3));

TEST_P(ParticleReadersIn, ReadWhatWasWritten) {
  const ScratchFolder folder;
  for (const std::size_t particles : {0, 1, 1000}) {
    const ParticleColumns columns = some_columns(GetParam(), particles);
    write_npz(folder / "p.npz", columns);
    expect_same(read_npz(folder / "p.npz"), columns);
    write_ply(folder / "p.ply", columns);
    expect_same(read_ply(folder / "p.ply", GetParam()), columns);
  }
}

TEST(ParticleReaders, SayWhatIsWrong) {
  const ScratchFolder folder;
  const auto npz = folder / "p.npz", ply = folder / "p.ply";
  write_npz(npz, some_columns(3, 100));
  write_ply(ply, some_columns(3, 100));
  const std::string whole = text_of(npz);
  std::string changed = whole;
  changed[changed.size() / 2] ^= 1;
  test::write_text(npz, changed);
  expect_error(ErrorCategory::kFile, {npz.string(), "damaged"}, [&] { read_npz(npz); });
  test::write_text(npz, whole.substr(0, whole.size() / 2));
  expect_error(ErrorCategory::kFile, {npz.string(), "truncated"}, [&] { read_npz(npz); });
  test::write_text(npz, "PK, but no archive");
  expect_error(ErrorCategory::kFile, {npz.string()}, [&] { read_npz(npz); });
  test::write_text(ply, text_of(ply) + "x");
  expect_error(ErrorCategory::kFile, {ply.string(), "size"}, [&] { read_ply(ply, 3); });
  test::write_text(ply, "ply\nformat ascii 1.0\nend_header\n");
  expect_error(ErrorCategory::kFile, {ply.string(), "Firn did not write it"},
               [&] { read_ply(ply, 3); });
  expect_error(ErrorCategory::kFile, {"none.npz"}, [&] { read_npz(folder / "none.npz"); });
}

// Bytes that are changed, added and taken away: a file is read or refused, whatever it says.
TEST(ParticleReaders, TakeNoHarm) {
  const ScratchFolder folder;
  write_npz(folder / "p.npz", some_columns(2, 20));
  write_ply(folder / "p.ply", some_columns(2, 20));
  std::mt19937 random(7);
  for (const char* name : {"p.npz", "p.ply"}) {
    const std::string whole = text_of(folder / name);
    for (int i = 0; i < 2000; ++i) {
      std::string bytes = whole;
      for (auto changes = 1 + random() % 4; changes > 0; --changes)
        bytes[random() % std::min<std::size_t>(bytes.size(), 700)] = static_cast<char>(random());
      if (i % 3 == 0) bytes.resize(random() % bytes.size());
      test::write_text(folder / "q", bytes);
      try {
        if (name[2] == 'n') read_npz(folder / "q");
        if (name[2] == 'p') read_ply(folder / "q", 2);
      } catch (const Error& error) {
        EXPECT_EQ(error.category(), ErrorCategory::kFile) << error.what();
      }
    }
  }
}

TEST(ParticleFormats, ARunRemovesTheFilesOfAll) {
  const ScratchFolder folder;
  {
    const RunDirectory run = RunDirectory::create(folder / "run", false);
    run.make_volume_folder();
    for (const ParticleFormat& format : particle_formats()) {
      test::write_text(run.particle_path(4, format.extension), "old");
      test::write_text(run.tracer_path(4, format.extension), "old");
    }
    test::write_text(run.volume_path(4), "old");
    test::write_text(run.volume_path(4).parent_path() / "best.vdb", "mine");
    for (const bool tracers : {false, true}) test::write_text(run.collection_path(tracers), "old");
    EXPECT_EQ(run.particle_frames("vtp"), std::vector{4});
  }
  const RunDirectory run = RunDirectory::create(folder / "run", true);
  run.remove_older_run();
  EXPECT_EQ(test::file_count(folder / "run/particles"), 0u);
  EXPECT_EQ(test::file_count(folder / "run/volumes"), 1u);
  for (const bool tracers : {false, true})
    EXPECT_FALSE(std::filesystem::exists(run.collection_path(tracers)));
}

TEST(FrameMark, UpIsAgainstGravity) {
  Scene scene;
  scene.grid.dx = 0.5;
  EXPECT_EQ(frame_mark(scene, 3, 0.25).up, "y");
  EXPECT_EQ(frame_mark(scene, 3, 0.25).dx, 0.5);
  scene.simulation.gravity = {0, 0, -9.81};
  EXPECT_EQ(frame_mark(scene, 0, 0).up, "z");
  scene.simulation.gravity = {3, 0, 0};
  EXPECT_EQ(frame_mark(scene, 0, 0).up, "-x");
  scene.simulation.gravity = {};
  EXPECT_EQ(frame_mark(scene, 0, 0).up, "y");
}

TEST(Pvd, ListsFilesWithTheirTimes) {
  const ScratchFolder folder;
  write_pvd(folder / "p.pvd", {{"particles/a.vtp", 0}, {"particles/b.vtp", 0.125}});
  const std::string text = text_of(folder / "p.pvd");
  EXPECT_NE(text.find("timestep=\"0\" part=\"0\" file=\"particles/a.vtp\""), text.npos);
  EXPECT_NE(text.find("timestep=\"0.125\" part=\"0\" file=\"particles/b.vtp\""), text.npos);
}

}  // namespace
}  // namespace firn

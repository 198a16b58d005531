// A checkpoint reads back exactly, and whatever happened to its file or to the process that wrote
// it, it is either loaded whole or refused by name.
#include "src/io/checkpoint.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "src/io/checkpoint_format.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/scratch_folder.h"

namespace firn {
namespace {

using test::expect_error;
using test::ScratchFolder;
using Bytes = std::vector<std::byte>;

// Contents that depend on the frame everywhere, so that a mixture of two checkpoints would be
// noticed. Half of the state is noise and half compresses.
Checkpoint example(int frame, std::size_t state_size = 400) {
  std::mt19937 random(static_cast<unsigned>(frame));
  Checkpoint checkpoint{frame, frame / 24.0, "title = \"frame " + std::to_string(frame) + "\"\n",
                        "{\"frames\":" + std::to_string(frame) + "}", Bytes(state_size)};
  for (std::size_t i = 0; i < state_size; ++i)
    checkpoint.state[i] = std::byte(i < state_size / 2 ? random() : static_cast<unsigned>(frame));
  return checkpoint;
}

bool refused(std::span<const std::byte> bytes) {
  try {
    parse_checkpoint(bytes, "folder/name.firn");
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kFile);
    EXPECT_TRUE(std::string(error.what()).starts_with("folder/name.firn: ")) << error.what();
    return true;
  }
}

std::vector<int> frames_in(const std::filesystem::path& folder) {
  std::vector<int> frames;
  for (const auto& path : list_checkpoints(folder)) frames.push_back(read_checkpoint(path).frame);
  return frames;
}

TEST(Checkpoint, ReadsBack) {
  const ScratchFolder folder;
  for (std::size_t size : {0, 1, 400, 1'000'000}) {
    const Checkpoint written = example(7, size);
    EXPECT_EQ(read_checkpoint(write_checkpoint(folder.path(), written)), written) << size;
  }
  const Checkpoint empty;
  EXPECT_EQ(read_checkpoint(write_checkpoint(folder.path(), empty)), empty);
}

// Zeros compress beyond the expansion that the reader admits; the writer must then not compress.
TEST(Checkpoint, ReadsBackWhatCompressesTooWell) {
  Checkpoint zeros;
  zeros.state.assign(3'000'000, std::byte{0});
  zeros.scene_toml.assign(100'000, ' ');
  EXPECT_EQ(parse_checkpoint(encode_checkpoint(zeros), "zeros"), zeros);
  const ScratchFolder folder;
  EXPECT_EQ(read_checkpoint(write_checkpoint(folder.path(), zeros)), zeros);
}

TEST(Checkpoint, CompressesWhatItCan) {
  Checkpoint text;
  for (int i = 0; i < 10'000; ++i) text.scene_toml += "key_" + std::to_string(i) + " = 1\n";
  EXPECT_LT(encode_checkpoint(text).size(), text.scene_toml.size() / 2);
}

TEST(Checkpoint, EveryFlippedByteIsRefused) {
  const Bytes good = encode_checkpoint(example(3));
  ASSERT_FALSE(refused(good));
  for (std::size_t i = 0; i < good.size(); ++i)
    for (unsigned mask = 1; mask < 256; ++mask) {
      Bytes bad = good;
      bad[i] ^= std::byte(mask);
      ASSERT_TRUE(refused(bad)) << "byte " << i << " of " << good.size() << ", mask " << mask;
    }
}

TEST(Checkpoint, EveryTruncationIsRefused) {
  const Bytes good = encode_checkpoint(example(3));
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_TRUE(refused(std::span(good).first(size))) << size;
  EXPECT_TRUE(refused({}));
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(refused(longer));
}

TEST(Checkpoint, SaysWhatIsWrong) {
  const ScratchFolder folder;
  const auto expect_reason = [&](const std::string& reason, const Bytes& bytes) {
    const auto path = folder / "broken.firn";
    test::write_text(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    expect_error(ErrorCategory::kFile, {path.string(), reason}, [&] { read_checkpoint(path); });
  };
  const Bytes good = encode_checkpoint(example(3));
  expect_reason("empty", {});
  expect_reason("not a checkpoint", Bytes(500, std::byte{'x'}));
  expect_reason("truncated", Bytes(good.begin(), good.end() - 1));
  expect_reason("truncated", Bytes(good.begin(), good.begin() + 5));

  Bytes bad = good;
  bad[offsetof(CheckpointHeader, version)] = std::byte{kCheckpointVersion + 1};
  expect_reason("newer Firn", bad);
  bad[offsetof(CheckpointHeader, version)] = std::byte{kCheckpointVersion - 1};
  expect_reason("use the older Firn", bad);
  bad = good;
  bad[offsetof(CheckpointHeader, time)] ^= std::byte{1};
  expect_reason("header is damaged", bad);
  bad = good;
  bad.back() ^= std::byte{1};
  expect_reason("state section is damaged", bad);
  bad = good;
  bad.push_back(std::byte{0});
  expect_reason("appended", bad);

  expect_error(ErrorCategory::kFile, {"none.firn", "No such file"},
               [&] { read_checkpoint(folder / "none.firn"); });
}

TEST(Checkpoint, KeepsThePreviousOne) {
  const ScratchFolder folder;
  test::write_text(folder / "checkpoint_1.firn", "not our way to write a frame");
  test::write_text(folder / "checkpoint_000001.firn.bak", "the user's");
  for (int frame : {24, 48, 72}) write_checkpoint(folder.path(), example(frame));
  EXPECT_EQ(frames_in(folder.path()), (std::vector{48, 72}));
  write_checkpoint(folder.path(), example(1'234'567));
  EXPECT_EQ(frames_in(folder.path()), (std::vector{72, 1'234'567}));
  write_checkpoint(folder.path(),
                   example(80));  // resumed from 72: the later one is of a given-up future
  EXPECT_EQ(frames_in(folder.path()), (std::vector{72, 80}));
  EXPECT_TRUE(std::filesystem::exists(folder / "checkpoint_1.firn"));
  EXPECT_TRUE(std::filesystem::exists(folder / "checkpoint_000001.firn.bak"));
}

TEST(Checkpoint, KeepsAsManyAsAreWanted) {
  const ScratchFolder folder;
  for (int frame : {1, 2, 3, 4, 5}) write_checkpoint(folder.path(), example(frame), 3);
  EXPECT_EQ(frames_in(folder.path()), (std::vector{3, 4, 5}));
  EXPECT_EQ(read_checkpoint(find_checkpoint(folder.path(), 4)), example(4));
  expect_error(ErrorCategory::kFile, {folder.path().string(), "frame 2", "3, 4, 5"},
               [&] { find_checkpoint(folder.path(), 2); });
  prune_checkpoints(folder.path(), 4, 3);  // frame 5 is given up
  EXPECT_EQ(frames_in(folder.path()), (std::vector{3, 4}));
  write_checkpoint(folder.path(), example(5), 1);
  EXPECT_EQ(frames_in(folder.path()), (std::vector{5}));
  prune_checkpoints(folder.path(), 4, 1);
  expect_error(ErrorCategory::kFile, {"frame 5", "none"},
               [&] { find_checkpoint(folder.path(), 5); });
}

TEST(Checkpoint, FallsBackToThePreviousOneAndSaysSo) {
  const ScratchFolder folder;
  std::string warnings;
  EXPECT_FALSE(read_latest_valid_checkpoint(folder.path(), &warnings));
  EXPECT_FALSE(read_latest_valid_checkpoint(folder / "none", &warnings));
  EXPECT_EQ(warnings, "");

  write_checkpoint(folder.path(), example(24));
  const auto latest = write_checkpoint(folder.path(), example(48));
  EXPECT_EQ(read_latest_valid_checkpoint(folder.path(), &warnings), example(48));
  EXPECT_EQ(warnings, "");
  std::filesystem::resize_file(latest, 100);
  EXPECT_EQ(read_latest_valid_checkpoint(folder.path(), &warnings), example(24));
  EXPECT_NE(warnings.find(latest.string()), std::string::npos) << warnings;
  EXPECT_EQ(read_latest_valid_checkpoint(folder.path(), nullptr), example(24));

  std::filesystem::resize_file(list_checkpoints(folder.path()).front(), 10);
  warnings.clear();
  EXPECT_FALSE(read_latest_valid_checkpoint(folder.path(), &warnings));
  EXPECT_EQ(std::count(warnings.begin(), warnings.end(), '\n'), 2);
}

TEST(Checkpoint, FullDiskKeepsTheOlderOnes) {
  const ScratchFolder folder;
  for (int frame : {24, 48}) write_checkpoint(folder.path(), example(frame));
  {
    const test::FileSizeLimit limit(10'000);
    expect_error(ErrorCategory::kFile, {"checkpoint_000072.firn", "File too large"},
                 [&] { write_checkpoint(folder.path(), example(72, 100'000)); });
  }
  EXPECT_EQ(frames_in(folder.path()), (std::vector{24, 48}));
  EXPECT_EQ(test::file_count(folder.path()), 2u);
}

constexpr std::size_t kKilledStateSize = 300'000;

// Writes checkpoint after checkpoint from `frame` on, and the number of each one that is durable to
// `pipe`.
[[noreturn]] void write_until_killed(const std::filesystem::path& folder, int frame, int pipe) {
  for (;; ++frame) {
    write_checkpoint(folder, example(frame, kKilledStateSize));
    if (::write(pipe, &frame, sizeof frame) != sizeof frame) ::_exit(1);
  }
}

// The last number that came through; the writer is dead, so the pipe ends.
int last_frame_through(int pipe, int before) {
  int frame = before;
  for (int value; ::read(pipe, &value, sizeof value) == sizeof value;) frame = value;
  return frame;
}

TEST(Checkpoint, KilledWhileWriting) {
  const ScratchFolder folder;
  std::mt19937 random(2016);
  int durable = 0, torn_temporaries = 0;
  std::size_t files = 1;
  write_checkpoint(folder.path(), example(durable, kKilledStateSize));
  for (int round = 0; round < 50; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(folder.path(), durable + 1, ends[1]);
    ::close(ends[1]);
    ::usleep(std::uniform_int_distribution<useconds_t>(0, 30'000)(random));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    durable = last_frame_through(ends[0], durable);
    ::close(ends[0]);

    const auto paths = list_checkpoints(folder.path());
    ASSERT_GE(paths.size(), 1u);
    // One more than before at most: the kill came before the older ones were removed.
    ASSERT_LE(paths.size(), std::max<std::size_t>(files, 2) + 1);
    files = paths.size();
    for (const auto& path : paths) {
      const Checkpoint read = read_checkpoint(path);  // throws if torn
      ASSERT_EQ(read, example(read.frame, kKilledStateSize)) << path;
    }
    const int last = read_checkpoint(paths.back()).frame;
    ASSERT_GE(last, durable);  // a checkpoint that was reported durable is there
    ASSERT_LE(last, durable + 1);
    durable = last;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      if (entry.path().extension() == ".firn-tmp")
        torn_temporaries += std::filesystem::remove(entry);
  }
  write_checkpoint(folder.path(), example(durable + 1, kKilledStateSize));
  EXPECT_EQ(frames_in(folder.path()).size(), 2u);  // a whole write tidies up after all kills
  EXPECT_GT(durable, 0);           // else nothing was written and nothing was tested,
  EXPECT_GT(torn_temporaries, 0);  // and else no kill came in the middle of a write
}

}  // namespace
}  // namespace firn

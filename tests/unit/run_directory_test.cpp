// A run's folder is refused before anything is computed if the run could not write to it or would
// destroy something.
#include "src/io/run_directory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "src/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/scratch_folder.h"

namespace firn {
namespace {

using test::expect_error;
using test::ScratchFolder;
using test::write_text;
namespace fs = std::filesystem;

// A finished run, with two files of the user's in its folder.
void make_run(const fs::path& path) {
  const RunDirectory run = RunDirectory::create(path, false);
  for (const fs::path& file :
       {run.scene(), run.ledger(), run.stats(), run.summary(), run.video(), run.image_path(3),
        run.particle_path(3, "ply"), run.particle_path(1234567, "npz"),
        run.checkpoints() / "checkpoint_000024.firn"})
    write_text(file, "old");
  write_text(path / "notes.txt", "mine");
  write_text(path / "frames/frame_best.png", "mine");
}

// Of this process, for as long as it lives.
class Home {
 public:
  explicit Home(const fs::path& home) {
    if (const char* now = std::getenv("HOME")) before_ = now;
    setenv("HOME", home.c_str(), 1);
  }
  ~Home() { before_ ? setenv("HOME", before_->c_str(), 1) : unsetenv("HOME"); }
  Home(const Home&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(RunDirectory, IsNotTheRootNorSomebodysHome) {
  const ScratchFolder folder;
  fs::create_directory(folder / "home");
  fs::create_directory_symlink(folder / "home", folder / "link");
  const Home home(folder / "home");
  for (const bool overwrite : {false, true}) {
    for (const fs::path& root : {fs::path("/"), fs::path("/usr/..")})
      expect_error(ErrorCategory::kFile, {root.string(), "the root of the file system", "-o"},
                   [&] { RunDirectory::create(root, overwrite); });
    for (const fs::path& path : {folder / "home", folder / "home/.", folder / "link"})
      expect_error(ErrorCategory::kFile, {path.string(), "your home directory", "-o"},
                   [&] { RunDirectory::create(path, overwrite); });
  }
  EXPECT_TRUE(fs::is_empty(folder / "home"));
  EXPECT_NO_THROW(RunDirectory::create(folder / "home/run", false));
}

TEST(RunDirectory, MayBeAHomeThatHoldsARunAlready) {
  const ScratchFolder folder;
  make_run(folder / "home");
  const Home home(folder / "home");
  EXPECT_NO_THROW(RunDirectory::create(folder / "home", true));
  EXPECT_NO_THROW(RunDirectory::open(folder / "home"));
}

TEST(RunDirectory, MakesItsFolders) {
  const ScratchFolder folder;
  const RunDirectory run = RunDirectory::create(folder / "out/drop", false);
  EXPECT_EQ(run.image_path(12), folder / "out/drop/frames/frame_000012.png");
  EXPECT_EQ(run.particle_path(12, "ply"), folder / "out/drop/particles/particles_000012.ply");
  for (const char* name : {"frames", "particles", "checkpoints"})
    EXPECT_TRUE(fs::is_directory(run.path() / name)) << name;
  EXPECT_FALSE(fs::exists(run.scene()));
}

TEST(RunDirectory, KeepsAnOlderRunUnlessTold) {
  const ScratchFolder folder;
  make_run(folder / "run");
  expect_error(ErrorCategory::kFile,
               {(folder / "run").string(), "already holds a run", "--overwrite"},
               [&] { RunDirectory::create(folder / "run", false); });
  EXPECT_EQ(test::text_of(folder / "run/scene.toml"), "old");

  const RunDirectory run = RunDirectory::create(folder / "run", true);
  EXPECT_EQ(test::text_of(folder / "run/scene.toml"), "old");  // until the new run stands
  run.remove_older_run();
  for (const fs::path& file :
       {run.scene(), run.ledger(), run.stats(), run.summary(), run.video(), run.image_path(3),
        run.particle_path(3, "ply"), run.particle_path(1234567, "npz"),
        run.checkpoints() / "checkpoint_000024.firn"})
    EXPECT_FALSE(fs::exists(file)) << file;
  EXPECT_TRUE(fs::exists(folder / "run/notes.txt"));
  EXPECT_TRUE(fs::exists(folder / "run/frames/frame_best.png"));
}

// `firn run scene.toml -o .` must not replace the user's scene by its resolved copy.
TEST(RunDirectory, NeverReplacesWhatNoRunWrote) {
  const ScratchFolder folder;
  write_text(folder / "scene.toml", "the user's scene");
  for (bool overwrite : {false, true})
    expect_error(ErrorCategory::kFile, {"scene.toml", "did not write"},
                 [&] { RunDirectory::create(folder.path(), overwrite); });
  EXPECT_EQ(test::text_of(folder / "scene.toml"), "the user's scene");
  EXPECT_EQ(test::file_count(folder.path()), 1u);
}

TEST(RunDirectory, AFolderWithOtherFilesWillDo) {
  const ScratchFolder folder;
  write_text(folder / "notes.txt", "mine");
  fs::create_directory(folder / "frames");
  write_text(folder / "frames/holiday.png", "mine");
  EXPECT_NO_THROW(RunDirectory::create(folder.path(), false));
  EXPECT_NO_THROW(RunDirectory::create(folder.path(), false));  // still without a run's files
}

TEST(RunDirectory, AFolderOfTheUsersMayHaveAnyName) {
  const ScratchFolder folder;
  const fs::path path = folder / "run";
  fs::create_directories(path / "probe" / "notes");
  EXPECT_NO_THROW(RunDirectory::create(path, false).make_image_folder());
  EXPECT_TRUE(fs::exists(path / "probe" / "notes"));
}

TEST(RunDirectory, RefusesWhatItCannotWriteTo) {
  const ScratchFolder folder;
  write_text(folder / "plain", "");
  for (const char* name : {"plain", "plain/below"})
    expect_error(ErrorCategory::kFile,
                 {(folder / name).string(), "cannot create the folder", "Not a directory"},
                 [&] { RunDirectory::create(folder / name, true); });
  fs::create_directory(folder / "run");
  write_text(folder / "run/checkpoints", "in the way");
  expect_error(ErrorCategory::kFile, {(folder / "run/checkpoints").string()},
               [&] { RunDirectory::create(folder / "run", true); });
}

TEST(RunDirectory, OneRunAtATime) {
  const ScratchFolder folder;
  {
    const RunDirectory first = RunDirectory::create(folder / "run", false);
    write_text(first.scene(), "old");
    const auto busy = [&](auto action) {
      expect_error(ErrorCategory::kFile, {"another run"}, action);
    };
    busy([&] { RunDirectory::create(folder / "run", false); });
    busy([&] { RunDirectory::create(folder / "run", true); });
    busy([&] { RunDirectory::open(folder / "run"); });
    EXPECT_TRUE(fs::exists(first.scene()));
  }
  EXPECT_NO_THROW(RunDirectory::open(folder / "run"));
}

TEST(RunDirectory, AKilledRunLocksNoOneOut) {
  const ScratchFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const RunDirectory run = RunDirectory::create(folder / "run", false);
    write_text(run.scene(), "old");
    AtomicFile unfinished(run.image_path(1));
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(test::file_count(folder / "run/frames"), 1u);
  const RunDirectory run = RunDirectory::open(folder / "run");
  EXPECT_EQ(test::file_count(folder / "run/frames"), 0u);  // the half-written picture is gone
  EXPECT_TRUE(fs::exists(run.scene()));
}

// Pictures, plots and videos have names of their own until they are whole.
TEST(RunDirectory, RemovesWhatAKilledRunWasWriting) {
  const ScratchFolder folder;
  make_run(folder / "run");
  const char* const left[] = {"frames/frame_000004.png.part", "frames/frame_000004.png.77-0.part",
                              "video.mp4.part", "ledger.png.part"};
  const char* const others[] = {"frames/frame_best.png.part", "notes.txt.part", "frames/x.part"};
  for (const bool resumed : {true, false}) {
    for (const char* name : left) write_text(folder / "run" / name, "half");
    for (const char* name : others) write_text(folder / "run" / name, "mine");
    resumed ? RunDirectory::open(folder / "run") : RunDirectory::create(folder / "run", true);
    for (const char* name : left) EXPECT_FALSE(fs::exists(folder / "run" / name)) << name;
    for (const char* name : others) EXPECT_TRUE(fs::exists(folder / "run" / name)) << name;
    EXPECT_TRUE(fs::exists(folder / "run/video.mp4"));
  }
}

TEST(RunDirectory, LeavesNoEmptyFolders) {
  const ScratchFolder folder;
  fs::create_directory(folder / "there");
  for (const char* name : {"out/of/nothing", "there", "there/too"}) {
    RunDirectory::create(folder / name, false);
    EXPECT_FALSE(fs::exists(folder / "out"));
    EXPECT_TRUE(fs::is_empty(folder / "there"));
  }
  make_run(folder / "run");
  EXPECT_FALSE(fs::exists(folder / "run/sensors"));
  RunDirectory::open(folder / "run").make_volume_folder();
  EXPECT_FALSE(fs::exists(folder / "run/volumes"));
  EXPECT_TRUE(fs::exists(folder / "run/checkpoints/checkpoint_000024.firn"));
  write_text(folder / "plain", "");
  expect_error(ErrorCategory::kFile, {"cannot create the folder"},
               [&] { RunDirectory::create(folder / "new/../plain/below", false); });
}

TEST(RunDirectory, IsOfOneRunAndSaysOfWhich) {
  const ScratchFolder folder;
  make_run(folder / "one");
  make_run(folder / "two");
  const RunDirectory one = RunDirectory::open(folder / "one"),
                     two = RunDirectory::open(folder / "two");
  one.set_origin("a longer name");
  EXPECT_EQ(one.origin(), "a longer name");
  one.set_origin("one");
  two.set_origin("two");
  EXPECT_EQ(one.origin(), "one");
  const fs::path made = folder / "made";
  {
    const RunDirectory target = RunDirectory::open_for_exports(made, one, false);
    target.take_over_for(one);
    write_text(target.video(), "of one");
  }
  expect_error(ErrorCategory::kFile, {"made of another run"},
               [&] { RunDirectory::open_for_exports(made, two, false); });
  const RunDirectory target = RunDirectory::open_for_exports(made, two, true);
  EXPECT_TRUE(fs::exists(target.video()));  // until something is there in its place
  target.take_over_for(two);
  EXPECT_FALSE(fs::exists(target.video()));
  EXPECT_EQ(target.origin(), "two");
  fs::create_directory(folder / "mine");
  write_text(folder / "mine/video.mp4", "mine");
  expect_error(ErrorCategory::kFile, {"video.mp4", "did not write"},
               [&] { RunDirectory::open_for_exports(folder / "mine", two, true); });
  EXPECT_EQ(test::file_count(folder / "mine"), 1u);
}

TEST(RunDirectory, OpensOnlyARun) {
  const ScratchFolder folder;
  expect_error(ErrorCategory::kFile, {"there is no such folder"},
               [&] { RunDirectory::open(folder / "none"); });
  expect_error(ErrorCategory::kFile, {"this folder holds no run (no scene.toml)"},
               [&] { RunDirectory::open(folder.path()); });
  EXPECT_EQ(test::file_count(folder.path()), 0u);
  test::write_text(folder / "scene.toml", "");
  expect_error(ErrorCategory::kFile, {"scene.toml: this is no folder"},
               [&] { RunDirectory::open(folder / "scene.toml"); });
  make_run(folder / "run");
  EXPECT_EQ(RunDirectory::open(folder / "run").path(), folder / "run");
}

}  // namespace
}  // namespace firn

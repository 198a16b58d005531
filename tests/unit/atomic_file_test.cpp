// Files that are whole or absent, also when the disk is full or the folder is not there; line files
// that never keep half a line.
#include "src/io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/scratch_folder.h"

namespace firn {
namespace {

using test::expect_error;
using test::FileSizeLimit;
using test::ScratchFolder;
using test::text_of;

TEST(AtomicFile, WritesAndReplaces) {
  const ScratchFolder folder;
  write_file_atomically(folder / "a.txt", std::string_view("old and longer"));
  write_file_atomically(folder / "a.txt", std::string_view("new"));
  EXPECT_EQ(text_of(folder / "a.txt"), "new");
  write_file_atomically(folder / "empty", std::string_view());
  EXPECT_TRUE(std::filesystem::exists(folder / "empty"));
  EXPECT_EQ(test::file_count(folder.path()), 2u);
}

TEST(AtomicFile, WritesToTheWorkingFolder) {
  const ScratchFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  EXPECT_NO_THROW(write_file_atomically("bare_name", std::string_view("x")));
  std::filesystem::current_path(before);
  EXPECT_EQ(text_of(folder / "bare_name"), "x");
}

TEST(AtomicFile, WithoutCommitNothingRemains) {
  const ScratchFolder folder;
  test::write_text(folder / "a.txt", "old");
  {
    AtomicFile file(folder / "a.txt");
    file.write(std::string_view("new"));
    EXPECT_EQ(test::file_count(folder.path()), 2u);
  }
  EXPECT_EQ(text_of(folder / "a.txt"), "old");
  EXPECT_EQ(test::file_count(folder.path()), 1u);
}

TEST(AtomicFile, KnowsItsTemporaryNames) {
  const ScratchFolder folder;
  const AtomicFile file(folder / "a.txt");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_TRUE(is_temporary_file(entry.path())) << entry.path();
  EXPECT_FALSE(is_temporary_file("a.txt"));
  EXPECT_FALSE(is_temporary_file(".hidden"));
}

TEST(AtomicFile, FullDiskKeepsTheOldFile) {
  const ScratchFolder folder;
  write_file_atomically(folder / "a.txt", std::string_view("old"));
  const std::string large(100'000, 'x');
  {
    const FileSizeLimit limit(65'536);
    expect_error(ErrorCategory::kFile, {(folder / "a.txt").string(), "File too large", "ulimit -f"},
                 [&] { write_file_atomically(folder / "a.txt", large); });
  }
  EXPECT_EQ(text_of(folder / "a.txt"), "old");
  EXPECT_EQ(test::file_count(folder.path()), 1u);
}

TEST(AtomicFile, NamesPathAndReason) {
  const ScratchFolder folder;
  const auto write_to = [&](const std::string& name) {
    return [path = folder / name] { write_file_atomically(path, std::string_view("x")); };
  };
  expect_error(ErrorCategory::kFile,
               {(folder / "none/a.txt").string(), "No such file or directory"},
               write_to("none/a.txt"));
  test::write_text(folder / "plain", "");
  expect_error(ErrorCategory::kFile, {(folder / "plain/a.txt").string(), "Not a directory"},
               write_to("plain/a.txt"));
  std::filesystem::create_directory(folder / "sub");
  expect_error(ErrorCategory::kFile, {(folder / "sub").string(), "Is a directory"},
               write_to("sub"));
  EXPECT_EQ(test::file_count(folder.path()), 2u);  // no temporary
}

TEST(ReadFile, RefusesWhatIsNoFile) {
  const ScratchFolder folder;
  expect_error(ErrorCategory::kFile, {"not a regular file"}, [&] { read_file(folder.path()); });
  expect_error(ErrorCategory::kFile, {"No such file"}, [&] { read_file(folder / "none"); });
  test::write_text(folder / "empty", "");
  EXPECT_TRUE(read_file(folder / "empty").empty());
}

// Else a report to /dev/stdout would replace the device.
TEST(AtomicFile, WritesToADeviceAndLeavesItThere) {
  const ScratchFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_file_atomically(pipe, std::string_view("text"));
  char text[8];
  EXPECT_EQ(::read(reader, text, sizeof text), 4);
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(test::file_count(folder.path()), 1u);
  const auto link = folder / "full";
  std::filesystem::create_symlink("/dev/full", link);
  expect_error(ErrorCategory::kFile, {link.string(), "No space left"},
               [&] { write_file_atomically(link, std::string_view("text")); });
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST(AppendFile, ResumesAfterTheKeptLines) {
  const ScratchFolder folder;
  test::write_text(folder / "a.csv", "0\n1\n2\n3\n4 torn");
  const auto up_to = [](std::string_view last) {
    return [last](std::string_view line) { return line <= last; };
  };
  AppendFile file = AppendFile::resume(folder / "a.csv", up_to("9"));
  EXPECT_EQ(text_of(folder / "a.csv"), "0\n1\n2\n3\n4 torn");  // whoever opens it may not go on
  file.sync();
  EXPECT_EQ(text_of(folder / "a.csv"), "0\n1\n2\n3\n");
  file = AppendFile::resume(folder / "a.csv", up_to("1"));
  file.append("two");
  file.sync();
  EXPECT_EQ(text_of(folder / "a.csv"), "0\n1\ntwo\n");
  test::write_text(folder / "b.csv", "0\r\n1\r\n2\r\n");
  AppendFile::resume(folder / "b.csv", up_to("1")).append("two");
  EXPECT_EQ(text_of(folder / "b.csv"), "0\r\n1\r\ntwo\n");
  EXPECT_TRUE(AppendFile::resume(folder / "missing.csv", up_to("1")).empty());
  EXPECT_TRUE(AppendFile::create(folder / "a.csv").empty());
  EXPECT_EQ(text_of(folder / "a.csv"), "");
}

TEST(AppendFile, FullDiskKeepsWholeLines) {
  const ScratchFolder folder;
  AppendFile file = AppendFile::create(folder / "a.csv");
  file.append("first");
  {
    const FileSizeLimit limit(100);
    expect_error(ErrorCategory::kFile, {"a.csv", "File too large"},
                 [&] { file.append(std::string(200, 'x')); });
  }
  EXPECT_EQ(text_of(folder / "a.csv"), "first\n");
  file.append("second");
  EXPECT_EQ(text_of(folder / "a.csv"), "first\nsecond\n");
}

}  // namespace
}  // namespace firn

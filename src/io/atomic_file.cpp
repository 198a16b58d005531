#include "src/io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

namespace firn {
namespace {

constexpr std::string_view kTemporarySuffix = ".firn-tmp";

// Unique among processes and threads, so that two writers of one name never share a temporary.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  const std::string name = "." + path.filename().string() + "." + std::to_string(::getpid()) + "-" +
                           std::to_string(counter++) + std::string(kTemporarySuffix);
  return path.parent_path() / name;
}

std::span<const std::byte> as_byte_span(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    file_ = open_file(path, O_WRONLY, "write");
    return;
  }
  temporary_ = temporary_name(path);
  const int fd = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) throw file_error(path_, "write", errno);
  file_ = FileDescriptor(fd);
}

AtomicFile::~AtomicFile() {
  if (!committed_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) { write_all(file_, bytes, path_); }
void AtomicFile::write(std::string_view text) { write(as_byte_span(text)); }

void AtomicFile::cut(std::size_t size) {
  const auto end = static_cast<off_t>(size);
  if (::ftruncate(file_.get(), end) != 0 || ::lseek(file_.get(), end, SEEK_SET) < 0)
    throw file_error(path_, "write", errno);
}

void AtomicFile::overwrite(std::span<const std::byte> start) {
  const off_t end = ::lseek(file_.get(), 0, SEEK_CUR);
  if (end < 0 || ::lseek(file_.get(), 0, SEEK_SET) < 0) throw file_error(path_, "write", errno);
  write_all(file_, start, path_);
  if (::lseek(file_.get(), end, SEEK_SET) < 0) throw file_error(path_, "write", errno);
}

void AtomicFile::commit() {
  sync_file(file_, path_);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw file_error(path_, "write", errno);
  committed_ = true;
  sync_directory(path_.parent_path());
}

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  write_file_atomically(path, as_byte_span(text));
}

bool is_temporary_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.ends_with(kTemporarySuffix);
}

AppendFile::AppendFile(const std::filesystem::path& path, FileDescriptor file, std::size_t size,
                       bool longer)
    : path_(path), file_(std::move(file)), size_(size), longer_(longer) {}

AppendFile AppendFile::create(const std::filesystem::path& path) {
  return AppendFile(path, open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, "write"), 0,
                    false);
}

AppendFile AppendFile::resume(const std::filesystem::path& path,
                              const std::function<bool(std::string_view)>& keep) {
  if (!std::filesystem::exists(path)) return create(path);
  const std::vector<std::byte> bytes = read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t size = 0;
  for (std::size_t end; (end = text.find('\n', size)) != text.npos; size = end + 1) {
    std::string_view line = text.substr(size, end - size);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!keep(line)) break;
  }
  return AppendFile(path, open_file(path, O_WRONLY | O_APPEND, "write"), size, size < text.size());
}

void AppendFile::cut_off_the_rest() {
  if (longer_ && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0)
    throw file_error(path_, "shorten", errno);
  longer_ = false;
}

void AppendFile::append(std::string_view line) {
  cut_off_the_rest();
  const std::string text = std::string(line) + '\n';
  try {
    write_all(file_, as_byte_span(text), path_);
  } catch (const Error&) {
    // Best effort: were this to fail too, `resume` would still drop the torn line.
    [[maybe_unused]] const int result = ::ftruncate(file_.get(), static_cast<off_t>(size_));
    throw;
  }
  size_ += text.size();
}

void AppendFile::sync() {
  cut_off_the_rest();
  sync_file(file_, path_);
}

}  // namespace firn

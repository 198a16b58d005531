// posix_spawn with the standard streams on unnamed temporary files: no pipe can fill up, so parent
// and child cannot wait for each other.
#include "src/render/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "firn/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not all systems have it

namespace firn {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const std::string& program, int error) {
  throw Error(ErrorCategory::kFile, program + ": cannot be started: " + std::strerror(error));
}

File temporary_file(const std::string& program) {
  File file(std::tmpfile(), &std::fclose);
  if (!file) fail(program, errno);
  return file;
}

File file_with(std::string_view text, const std::string& program) {
  File file = temporary_file(program);
  if (!text.empty() && std::fwrite(text.data(), 1, text.size(), file.get()) != text.size())
    fail(program, errno);
  std::rewind(file.get());  // flushes; the child shares the file offset
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  char buffer[4096];
  std::rewind(file);
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, n);
  return text;
}

// The file descriptors that the child starts with.
class StreamActions {
 public:
  StreamActions(std::FILE* input, std::FILE* errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, fileno(input), STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, fileno(errors), STDERR_FILENO);
  }
  ~StreamActions() { posix_spawn_file_actions_destroy(&actions_); }
  StreamActions(const StreamActions&) = delete;
  StreamActions& operator=(const StreamActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class SpawnAttributes {
 public:
  explicit SpawnAttributes(OnInterrupt on_interrupt) {
    posix_spawnattr_init(&attributes_);
    if (on_interrupt == OnInterrupt::kEnds) return;
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

int exit_status_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wait_for(pid_t child, const std::string& program) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail(program, errno);
  return exit_status_of(status);
}

// 0: there is no such program.
pid_t start(const std::vector<std::string>& arguments, const File& in, const File& errors,
            OnInterrupt on_interrupt) {
  const std::string& program = arguments.at(0);
  const StreamActions actions(in.get(), errors.get());
  const SpawnAttributes attributes(on_interrupt);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), actions.get(), attributes.get(), argv.data(), environ);
  if (error == ENOENT || error == EACCES || error == ENOTDIR) return 0;
  if (error != 0) fail(program, error);
  return child;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          OnInterrupt on_interrupt) {
  const std::string& program = arguments.at(0);
  const File in = file_with(input, program);
  const File errors = temporary_file(program);
  const pid_t child = start(arguments, in, errors, on_interrupt);
  if (child == 0) return {};
  ProgramResult result;
  result.found = true;
  result.exit_status = wait_for(child, program);
  result.errors = contents(errors.get());
  return result;
}

ProgramBeside::ProgramBeside(const std::vector<std::string>& arguments) {
  const File in = temporary_file(arguments.at(0)), errors = temporary_file(arguments.at(0));
  child_ = start(arguments, in, errors, OnInterrupt::kGoesOn);
  if (child_ == 0) result_ = ProgramResult{};
}

const std::optional<ProgramResult>& ProgramBeside::result() {
  int status = 0;
  if (!result_ && waitpid(child_, &status, WNOHANG) == child_)
    result_ = ProgramResult{true, exit_status_of(status), ""};
  return result_;
}

std::string last_lines(const std::string& text, int count) {
  const std::size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return {};
  std::size_t begin = end;
  for (int line = 0; line < count && begin != std::string::npos; ++line)
    begin = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return text.substr(begin, end + 1 - begin);
}

}  // namespace firn

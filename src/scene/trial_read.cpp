#include "src/scene/trial_read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "firn/error.h"

namespace firn {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorCategory::kFile,
              fmt::format("no process could be started to read a file in: {}: {}", what,
                          std::generic_category().message(errno)));
}

std::uint64_t address_space() {
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void lower(int resource, std::uint64_t bound) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, bound);
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

[[noreturn]] void be_the_copy(int out, const TrialLimits& limits, std::uint64_t space,
                              const std::function<std::string()>& read) {
  // What ends this process is no concern of handlers of the other's. A key that interrupts that
  // one lets this one end by itself.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGALRM})
    std::signal(signal, SIG_DFL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  // An assertion's words would tell of a defect of this program.
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_CPU, limits.seconds);
  ::alarm(10 * limits.seconds);
  if (space > 0) lower(RLIMIT_AS, space + limits.memory);
  const std::string said = read();
  for (std::size_t done = 0; done < said.size();) {
    const ssize_t n = ::write(out, said.data() + done, said.size() - done);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  ::_exit(0);
}

std::string all_of(int in) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t n = ::read(in, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string try_in_copy(const TrialLimits& limits, const std::function<std::string()>& read) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  const std::uint64_t space = address_space();
  const pid_t copy = ::fork();
  if (copy < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    errno = error;
    fail("fork");
  }
  if (copy == 0) be_the_copy(ends[1], limits, space, read);
  ::close(ends[1]);
  std::string said = all_of(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0)
    if (errno != EINTR) fail("waitpid");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGXCPU || signal == SIGKILL || signal == SIGALRM)
    return fmt::format("it is not read within {} seconds", limits.seconds);
  return "it makes its reader fail";
}

}  // namespace firn

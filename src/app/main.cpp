// The `firn` program: finds the command, runs it, and turns every failure into `error:` lines and
// an exit code (2 usage or scene, 3 file or stream, 4 device or memory, 5 diverged, 128 + n stopped
// by signal n).
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "firn/error.h"
#include "firn/simulation.h"
#include "firn/version.h"
#include "src/app/bound_threads.h"
#include "src/app/build_info.h"
#include "src/app/commands.h"
#include "src/app/progress.h"
#include "src/io/posix_file.h"
#include "src/scene/findings.h"

namespace firn::app {
namespace {

std::string overview() {
  std::string text = fmt::format(
      "firn {}: snow, sand, foam, jelly and water with the Material Point Method\n\n"
      "Usage:\n  firn COMMAND [FLAGS]\n\nCommands:\n",
      kVersion);
  for (const Command& command : command_table())
    text += fmt::format("  {:<10} {:<9} {}\n", command.name, command.positional, command.summary);
  return text +
         "\n'firn COMMAND --help' shows the flags of a command, with examples.\n"
         "Start with:  firn scenes   then   firn run NAME\n";
}

// `words`: --version, and --json for what a report of a fault needs.
void print_version(const std::vector<std::string>& words) {
  if (words.size() == 1)
    fmt::print("firn {} ({})\n", kVersion, built_with_cuda() ? "CPU and CUDA" : "CPU only");
  else if (words.size() == 2 && words[1] == "--json")
    print_json(build_json());
  else
    throw Error(ErrorCategory::kScene,
                "'firn --version' takes --json, which tells how it was built, and nothing else");
}

const Command& find_command(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Command& command : command_table()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw Error(ErrorCategory::kScene,
              fmt::format("unknown {} '{}'{}\n'firn --help' lists the commands",
                          name.starts_with("-") ? "flag" : "command", name,
                          scene::suggestion(name, names)));
}

#if defined(FIRN_SINGLE_BINARY)
}  // namespace
int run_tests(int argc, char** argv);  // tests/single_binary.cpp
namespace {
#endif

int dispatch(std::vector<std::string> words) {
  if (words.empty()) {
    print_errors(overview());
    return static_cast<int>(ErrorCategory::kScene);
  }
  if (words[0] == "help" && words.size() > 1) words = {words[1], "--help"};
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    fmt::print("{}", overview());
    return 0;
  }
  if (words[0] == "--version") {
    print_version(words);
    return 0;
  }
  const Command& command = find_command(words[0]);
  const auto options = parse_options(command, {words.begin() + 1, words.end()});
  if (!options) return 0;
  const BoundThreads bound(options->run.threads);
  return command.execute(*options);
}

// Allocates nothing: it may be what says that there is no memory.
int fail(ErrorCategory category, std::string_view message) {
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    print_errors("error: ");
    print_errors(message.substr(0, end));
    print_errors("\n");
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return static_cast<int>(category);
}

int fail_of_memory() {
  return fail(ErrorCategory::kDevice,
              "out of memory; use fewer particles (larger grid.dx or fewer particles_per_cell); "
              "'firn info SCENE' estimates the need");
}

// What runs out of memory in a function of a library that may not throw (those of JSON do) ends
// here, and is no crash.
[[noreturn]] void end_of_uncaught() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    _exit(fail_of_memory());
  } catch (...) {
  }
  std::abort();
}

int fail_of_output(int reason) {
  const Error error = file_error("standard output", "write", reason != 0 ? reason : EIO);
  return fail(error.category(), error.what());
}

// What was printed must have arrived, which for the last of it shows only here.
int finish(int exit_code) {
  errno = Progress::lost();
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  return lost && exit_code == 0 ? fail_of_output(errno) : exit_code;
}

// A stream that is closed must not become the first file that a run opens: it is held by one that
// cannot be written to. A write beyond the limit on the size of files is to fail, not to kill.
void prepare_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDONLY));
  std::signal(SIGXFSZ, SIG_IGN);
}

// libgomp's threads spin for milliseconds at every barrier by default: on a machine that does
// anything else, each barrier then costs a time slice (a step measured 20 times slower). It reads
// its settings before main, so a shorter spin needs a fresh start of the same program; where that
// fails the program goes on as it is.
void limit_spinning(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("GOMP_SPINCOUNT", "2000", 1);
  // By its own path, or lists of processes would call it "exe".
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) execv(program.c_str(), argv);
  execv("/proc/self/exe", argv);
}

// glibc learns from every large block that is freed to keep the next ones, and keeps for each
// thread what that thread has freed; snapshots, saved states and surfaces come and go, and what
// they leave behind would add to the peak of the next.
void keep_little_freed() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, 1);
#endif
}

}  // namespace
}  // namespace firn::app

int main(int argc, char** argv) {
  using firn::ErrorCategory;
  firn::app::limit_spinning(argv);
  firn::app::keep_little_freed();
  firn::app::prepare_streams();
  std::set_terminate(firn::app::end_of_uncaught);
  try {
#if defined(FIRN_SINGLE_BINARY)
    if (argc > 1 && std::string_view(argv[1]) == "test")
      return firn::app::run_tests(argc - 1, argv + 1);
#endif
    return firn::app::finish(firn::app::dispatch({argv + 1, argv + argc}));
  } catch (const firn::Error& error) {
    return firn::app::fail(error.category(), error.what());
  } catch (const std::bad_alloc&) {
    return firn::app::fail_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    const firn::Error known = firn::file_error(error.path1(), "read", error.code().value());
    return firn::app::fail(known.category(), known.what());
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return firn::app::fail_of_output(error.code().value());
    return firn::app::fail(ErrorCategory::kFile, error.what());
  } catch (const std::exception& error) {
    return firn::app::fail(ErrorCategory::kFile, error.what());
  }
}

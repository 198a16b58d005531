// Preloaded into the program by faults_test.py: makes one call of the system fail, or the process
// die in it. FIRN_FAULT is KIND:N:ACTION with KIND open (of a new file), write, ftruncate, fsync,
// rename, flock, thread or new, N counted from 0, ACTION fail or kill. What libraries allocate
// before `main` is not counted: the program's first call of signal() begins it. When it has
// happened the file named by FIRN_FAULT_MARK is there.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

struct Fault {
  char kind[16] = "";
  long wanted = -1;
  bool kill = false;
};

Fault wanted_fault() {
  Fault fault;
  const char* text = std::getenv("FIRN_FAULT");
  const char* colon = text ? std::strchr(text, ':') : nullptr;
  if (!colon || static_cast<std::size_t>(colon - text) >= sizeof fault.kind) return fault;
  std::memcpy(fault.kind, text, static_cast<std::size_t>(colon - text));
  char* rest = nullptr;
  fault.wanted = std::strtol(colon + 1, &rest, 10);
  fault.kill = std::strcmp(rest, ":kill") == 0;
  return fault;
}

std::atomic<bool> begun{false};

// Whether this call is the one. Uses nothing that is replaced here.
bool strikes(const char* kind) {
  static const Fault fault = wanted_fault();
  static std::atomic<long> count{0};
  if (!begun || std::strcmp(kind, fault.kind) != 0 || count++ != fault.wanted) return false;
  const char* mark = std::getenv("FIRN_FAULT_MARK");
  if (mark) ::syscall(SYS_open, mark, O_CREAT | O_WRONLY, 0600);
  if (fault.kill) ::raise(SIGKILL);
  return true;
}

bool fails(const char* kind, int reason) {
  if (!strikes(kind)) return false;
  errno = reason;
  return true;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_regular(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void* allocate(std::size_t size) {
  void* memory = strikes("new") ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" sighandler_t signal(int number, sighandler_t handler) noexcept {
  begun = true;
  static const auto real = next<sighandler_t (*)(int, sighandler_t)>("signal");
  return real(number, handler);
}

extern "C" int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0 && fails("open", ENOSPC)) return -1;
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  return real(path, flags, mode);
}

extern "C" ssize_t write(int file, const void* bytes, std::size_t size) {
  if (is_regular(file) && fails("write", ENOSPC)) return -1;
  static const auto real = next<ssize_t (*)(int, const void*, std::size_t)>("write");
  return real(file, bytes, size);
}

extern "C" int ftruncate(int file, off_t size) {
  if (fails("ftruncate", EIO)) return -1;
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  return real(file, size);
}

extern "C" int fsync(int file) {
  if (fails("fsync", EIO)) return -1;
  static const auto real = next<int (*)(int)>("fsync");
  return real(file);
}

extern "C" int flock(int file, int operation) noexcept {
  if (fails("flock", ENOLCK)) return -1;
  static const auto real = next<int (*)(int, int)>("flock");
  return real(file, operation);
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*begin)(void*), void* argument) noexcept {
  if (strikes("thread")) return EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = next<Create>("pthread_create");
  return real(thread, attributes, begin, argument);
}

extern "C" int rename(const char* from, const char* to) {
  if (fails("rename", EIO)) return -1;
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return real(from, to);
}

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

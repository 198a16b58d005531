#include "src/app/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "src/app/format.h"

namespace firn::app {
namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
constexpr int kBarCells = 16;
constexpr double kSoon = 1;  // s: what takes longer is told of

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

double particle_steps_per_second(const FrameStats& stats) {
  const auto work = static_cast<double>(stats.particles) * static_cast<double>(stats.steps);
  return stats.wall_seconds > 0 ? work / stats.wall_seconds : 0;
}

std::string stage_times(const StageTimes& t) {
  return fmt::format(
      "    seconds: rebuild {:.3f}, p2g {:.3f}, grid {:.3f}, g2p {:.3f}, constitutive {:.3f}, "
      "fused {:.3f}, "
      "other {:.3f}",
      t.rebuild, t.p2g, t.grid, t.g2p, t.constitutive, t.fused, t.other);
}

std::string energies(const FrameStats& stats) {
  const Totals& t = stats.totals;
  return fmt::format(
      "    energies (J): kinetic {:.5g}, elastic {:.5g}, potential {:.5g}{}; fastest {:.4g} m/s; "
      "{} blocks, {}",
      t.kinetic, t.elastic, t.potential, t.heat != 0 ? fmt::format(", heat {:.5g}", t.heat) : "",
      stats.max_speed, stats.blocks, format_bytes(static_cast<double>(stats.memory_bytes)));
}

std::string solves(std::string_view name, const SolverStats& s) {
  return fmt::format("    {}: {} solves of {:.1f} iterations (at most {}) in {:.3f} s", name,
                     s.solves, static_cast<double>(s.iterations) / static_cast<double>(s.solves),
                     s.max_iterations, s.seconds);
}

std::string pressure_solves(const PressureStats& p) {
  return solves("pressure", p) +
         fmt::format(
             ", {:.1f} for the density in {:.3f} s{}; largest divergence {:.2g} 1/s{}",
             static_cast<double>(p.correction_iterations) / static_cast<double>(p.solves),
             p.correction_seconds,
             p.corrections_lost > 0 ? fmt::format(" ({} not found)", p.corrections_lost) : "",
             p.max_divergence,
             p.sealed_regions > 0 ? fmt::format("; {} sealed regions", p.sealed_regions) : "");
}

std::string implicit_solves(const ImplicitStats& s) {
  return solves("implicit", s) +
         fmt::format(
             "; {:.1f} linear iterations in each, {} cuts, {} passes over contacts, {} rejected",
             static_cast<double>(s.linear_iterations) /
                 static_cast<double>(std::max<std::int64_t>(s.iterations, 1)),
             s.cuts, s.passes, s.rejected) +
         (s.at_rounding > 0 ? fmt::format(", {} as well as the precision can", s.at_rounding) : "");
}

// A run is not ended by a listener that has gone: whether all was written is asked at its end.
void print_to(std::FILE* out, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), out);
}

// Whether a line can be erased there.
bool knows_escapes() {
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

}  // namespace

void print_errors(std::string_view text) { print_to(stderr, text); }

Progress::Progress(const Options& options)
    : out_(options.quiet  ? nullptr
           : options.json ? stderr
                          : stdout),
      verbose_(options.verbose),
      terminal_(out_ && isatty(fileno(out_)) && knows_escapes()) {}

void Progress::line(const std::string& text) {
  if (!out_) return;
  erase();
  print_to(out_, text + "\n");
  if (running_ && terminal_) draw();
  flush();
}

void Progress::detail(const std::string& text) {
  if (verbose_) line(text);
}

void Progress::warning(const std::string& text) { print_errors("warning: " + text + "\n"); }

void Progress::begin_filling() {
  start_ = Clock::now();
  told_of_filling_ = false;
}

// Where nobody watches it is told of once.
void Progress::filling(const Filling& at, std::string_view body) {
  if (!out_ || elapsed() < kSoon) return;
  const bool told = terminal_ ? Clock::now() - drawn_at_ < kRedrawInterval : told_of_filling_;
  if (told) return;
  told_of_filling_ = true;
  std::string text = fmt::format(
      "filling body \"{}\" ({} of {}) with particles: {:.0f} %, {} so far", body, at.body + 1,
      at.bodies, 100 * at.part, format_count(static_cast<double>(at.particles)));
  if (terminal_)
    draw(std::move(text));
  else
    line(text);
}

void Progress::begin_files(int count) {
  steps_ = false;
  begin(0, count);
}

void Progress::file_done() {
  frame_took();
  ++stats_.frame;
  if (terminal_) draw();
}

void Progress::begin(int first_frame, int last_frame) {
  first_ = first_frame;
  last_ = last_frame;
  stats_ = {};
  stats_.frame = first_frame;
  start_ = Clock::now();
  pace_ = paced_at_ = 0;
  running_ = true;
  if (terminal_) draw();
}

// Later frames count for more: steps get shorter where snow hardens or water falls.
void Progress::frame_took() {
  constexpr double kShare = 0.2;
  const double now = elapsed(), taken = now - paced_at_;
  pace_ = stats_.frame == first_ ? taken : (1 - kShare) * pace_ + kShare * taken;
  paced_at_ = now;
}

void Progress::frame_done(const FrameStats& stats) {
  frame_took();
  stats_ = stats;
  if (!terminal_) line(plain_line(stats));
  if (verbose_) {
    line(stage_times(stats.times));
    line(energies(stats));
    if (stats.pressure.solves > 0) line(pressure_solves(stats.pressure));
    if (stats.implicit.solves > 0) line(implicit_solves(stats.implicit));
    if (stats.viscosity.solves > 0) line(solves("viscosity", stats.viscosity));
    for (const ThermalSolver& solver : kThermalSolvers) {
      const SolverStats& s = stats.thermal.*solver.stats;
      if (s.solves > 0) line(solves(solver.name, s));
    }
  }
  if (terminal_) draw();
}

void Progress::tick() {
  if (terminal_ && Clock::now() - drawn_at_ >= kRedrawInterval) draw();
}

void Progress::end() {
  erase();
  running_ = false;
}

double Progress::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double Progress::remaining() const {
  return stats_.frame > first_ ? pace_ * (last_ - stats_.frame) : 0;
}

std::string Progress::bar() const {
  const int full = last_ > 0 ? kBarCells * std::min(stats_.frame, last_) / last_ : kBarCells;
  std::string text =
      fmt::format("[{:#<{}}{:.<{}}] {}/{}", "", full, "", kBarCells - full, stats_.frame, last_);
  if (stats_.frame == first_) return text + fmt::format("  {} elapsed", format_duration(elapsed()));
  if (!steps_) return text + fmt::format("  ETA {}", format_duration(remaining()));
  return text + fmt::format("  ETA {}  {} particles/s  dt {:.1e}  step {}",
                            format_duration(remaining()),
                            format_count(particle_steps_per_second(stats_)), stats_.dt_last,
                            stats_.total_steps);
}

std::string Progress::plain_line(const FrameStats& stats) const {
  return fmt::format(
      "frame {}/{}  t {}  {} steps  dt {:.2e} ({})  {} particles  {} particles/s  ETA {}",
      stats.frame, last_, format_time(stats.time), stats.steps, stats.dt_last,
      describe_limit(stats.limited_by, stats.limiting_material), stats.particles,
      format_count(particle_steps_per_second(stats)), format_duration(remaining()));
}

void Progress::draw(std::string text) {
  erase();
  text.resize(std::min(text.size(), terminal_columns(fileno(out_)) - 1));
  print_to(out_, text);
  flush();
  drawn_ = true;
  drawn_at_ = Clock::now();
}

void Progress::flush() {
  if (std::fflush(out_) != 0) lost_ = errno;
}

void Progress::erase() {
  if (!drawn_) return;
  print_to(out_, "\r\x1b[K");
  drawn_ = false;
}

}  // namespace firn::app

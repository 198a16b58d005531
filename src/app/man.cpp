// `firn man`: the manual page, from the table of commands.
#include <fmt/format.h>

#include "firn/version.h"
#include "src/app/commands.h"
#include "src/app/flag_info.h"

namespace firn::app {
namespace {

// A line of text for troff: no macros at its beginning, no escapes.
std::string plain(std::string_view text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    begins = c == '\n';
  }
  return result;
}

constexpr std::string_view kSurroundings =
    R"(.SH ENVIRONMENT
.TP
.B FIRN_SCENES
Further folders of scenes, separated by colons.
.TP
.B OMP_NUM_THREADS
How many threads a run on the CPU has where no \-\-threads says so; by default one per core.
.TP
.B OMP_WAIT_POLICY
passive: threads that wait sleep, which is faster where other work runs, and slower where none does.
.SH FILES
Scenes are looked for in the folders of
.B FIRN_SCENES\fR,
in share/firn/scenes where firn is installed, and in ./scenes; firn scenes lists them.
.SH SEE ALSO
The documents in share/doc/firn where firn is installed: every key of a scene in docs/scene\-reference.md.
.PP
.B ffmpeg\fR(1),
.B gnuplot\fR(1)
)";

}  // namespace

int man(const Options&) {
  std::string page = fmt::format(
      ".TH FIRN 1 \"\" \"firn {}\" \"User Commands\"\n.SH NAME\n"
      "firn \\- snow, sand, foam, jelly and water with the Material Point Method\n"
      ".SH SYNOPSIS\n.B firn\n.I COMMAND\n[\\fIFLAGS\\fR]\n.SH COMMANDS\n",
      kVersion);
  for (const Command& command : command_table()) {
    page += fmt::format(".SS firn {} {}\n{}\n", command.name, plain(command.positional),
                        plain(command.summary));
    for (const FlagInfo& flag : flags_of(command.name)) {
      page += ".TP\n";
      if (!flag.letter.empty()) page += fmt::format("\\fB\\-{}\\fR, ", flag.letter);
      page += fmt::format("\\fB\\-\\-{}\\fR", plain(flag.name));
      if (!flag.argument.empty()) page += fmt::format(" \\fI{}\\fR", plain(flag.argument));
      page += fmt::format("\n{}\n", plain(flag.help));
    }
    if (!command.examples.empty())
      page += fmt::format(".PP\nExamples:\n.PP\n.nf\n{}.fi\n", plain(command.examples));
  }
  page +=
      ".SH EXIT STATUS\n0: done; 2: usage or scene; 3: file or stream; 4: device or memory; "
      "5: the simulation diverged; 128 + n: stopped by signal n.\n";
  page += kSurroundings;
  fmt::print("{}", page);
  return 0;
}

}  // namespace firn::app

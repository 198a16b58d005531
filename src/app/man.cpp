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
  fmt::print("{}", page);
  return 0;
}

}  // namespace firn::app

// `firn completion`: what makes a shell complete commands, flags, scenes and folders, from the
// table of commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/flag_info.h"
#include "src/scene/findings.h"

namespace firn::app {
namespace {

// What stands behind a command: scenes by name and scene files, folders of runs, or words.
enum class Positional { kNone, kScene, kFolder, kWords };

Positional positional_of(const Command& command) {
  if (command.positional.find("SCENE") != std::string_view::npos) return Positional::kScene;
  if (command.positional.find("DIR") != std::string_view::npos) return Positional::kFolder;
  return command.words.empty() ? Positional::kNone : Positional::kWords;
}

std::string words_of(const Command& command) {
  return fmt::format("{}", fmt::join(command.words, " "));
}

std::string command_names() {
  std::vector<std::string_view> names;
  for (const Command& command : command_table()) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string flag_words(const Command& command) {
  std::string words;
  for (const FlagInfo& flag : flags_of(command.name)) {
    if (!flag.letter.empty()) words += "-" + flag.letter + " ";
    words += "--" + flag.name + " ";
  }
  return words + "--help";
}

std::string words_of(const FlagInfo& flag) { return fmt::format("{}", fmt::join(flag.words, " ")); }

// The argument of a flag that the cursor stands behind: one of its words, a file, or what nobody
// knows.
std::string bash_arguments(const Command& command) {
  std::string cases;
  for (const FlagInfo& flag : flags_of(command.name)) {
    if (flag.argument.empty() || flag.takes_file()) continue;
    const std::string letter = flag.letter.empty() ? "" : "-" + flag.letter + "|";
    cases += fmt::format("{}--{}) known='{}' ;; ", letter, flag.name, words_of(flag));
  }
  return cases.empty() ? "" : fmt::format("; case $before in {}esac", cases);
}

// Within '...'.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

std::string bash() {
  std::string text =
      fmt::format(R"(# firn completion bash > ~/.local/share/bash-completion/completions/firn
_firn() {{
  local word=${{COMP_WORDS[COMP_CWORD]}}
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  local flags='' words='' before=${{COMP_WORDS[COMP_CWORD-1]}} known=files
  case ${{COMP_WORDS[1]}} in
)",
                  command_names());
  for (const Command& command : command_table()) {
    text += fmt::format("    {}) flags='{}'", command.name, flag_words(command));
    switch (positional_of(command)) {
      case Positional::kScene:
        text += "; words=$(firn scenes --names 2>/dev/null)";
        break;
      case Positional::kWords:
        text += fmt::format("; words='{}'", words_of(command));
        break;
      default:
        break;
    }
    text += bash_arguments(command) + " ;;\n";
  }
  return text + R"(  esac
  if [[ $known != files ]]; then
    COMPREPLY=($(compgen -W "$known" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _firn firn
)";
}

std::string zsh() {
  std::string text = R"(#compdef firn
# firn completion zsh > "${fpath[1]}/_firn"
_firn() {
  local -a commands
  commands=(
)";
  for (const Command& command : command_table())
    text += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary));
  text += R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
)";
  for (const Command& command : command_table()) {
    text += fmt::format("    {}) _arguments", command.name);
    for (const FlagInfo& flag : flags_of(command.name)) {
      std::string about = escaped(flag.help);
      std::erase_if(about, [](char c) { return c == '[' || c == ']' || c == ':'; });
      const std::string what = flag.takes_file()    ? "_files"
                               : flag.words.empty() ? " "
                                                    : "(" + words_of(flag) + ")";
      text += fmt::format(" '--{}[{}]{}'", flag.name, about,
                          flag.argument.empty() ? "" : fmt::format(":{}:{}", flag.argument, what));
    }
    switch (positional_of(command)) {
      case Positional::kScene:
        text +=
            " '*: :_alternative \"scenes:scene:($(firn scenes --names 2>/dev/null))\" "
            "\"files:file:_files\"'";
        break;
      case Positional::kFolder:
        text += " '*: :_files -/'";
        break;
      case Positional::kWords:
        text += fmt::format(" '*: :({})'", words_of(command));
        break;
      default:
        break;
    }
    text += " ;;\n";
  }
  return text + "  esac\n}\n_firn \"$@\"\n";
}

std::string fish() {
  std::string text =
      "# firn completion fish > ~/.config/fish/completions/firn.fish\n"
      "complete -c firn -n __fish_use_subcommand -f\n";
  for (const Command& command : command_table()) {
    text += fmt::format("complete -c firn -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                        escaped(command.summary));
    const std::string here =
        fmt::format("complete -c firn -n '__fish_seen_subcommand_from {}'", command.name);
    for (const FlagInfo& flag : flags_of(command.name)) {
      text += fmt::format("{} -l {}", here, flag.name);
      if (!flag.letter.empty()) text += " -s " + flag.letter;
      if (!flag.argument.empty()) text += flag.takes_file() ? " -r" : " -x";
      if (!flag.words.empty()) text += fmt::format(" -a '{}'", words_of(flag));
      text += fmt::format(" -d '{}'\n", escaped(flag.help));
    }
    if (positional_of(command) == Positional::kScene)
      text += here + " -a '(firn scenes --names 2>/dev/null)'\n";
    if (positional_of(command) == Positional::kWords)
      text += fmt::format("{} -f -a '{}'\n", here, words_of(command));
  }
  return text;
}

}  // namespace

int completion(const Options& options) {
  const std::vector<std::string_view> shells{"bash", "zsh", "fish"};
  if (std::find(shells.begin(), shells.end(), options.target) == shells.end())
    throw Error(ErrorCategory::kScene,
                fmt::format("there is no completion for '{}'; choose one of {}{}", options.target,
                            fmt::join(shells, ", "), scene::suggestion(options.target, shells)));
  fmt::print("{}", options.target == "bash" ? bash() : options.target == "zsh" ? zsh() : fish());
  return 0;
}

}  // namespace firn::app

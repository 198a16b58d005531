// What is wrong with a scene, collected over the whole file so that one run reports everything.
// Every finding has a place: a position in the file, or the command line override that brought the
// value in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/error.h"

namespace firn::scene {

struct Location {
  std::string source;  // file name, or "--set a.b" of an override
  unsigned line = 0;   // from 1; 0: no position (command line)
  unsigned column = 0;
  bool from_override = false;
};

std::string to_string(const Location& where);  // "file:line:col" or "--set a.b"

// What a message repeats of a scene: its first 80 bytes, and "..." if there is more.
std::string excerpt(std::string_view input);

class Findings {
 public:
  void add(const Location& where, std::string_view message,
           ErrorCategory category = ErrorCategory::kScene);
  bool empty() const { return findings_.empty(); }

  // While it lives, findings end with what they are about.
  class About {
   public:
    About(Findings& findings, std::string_view what) : findings_(findings) {
      findings_.about_ = " (of " + std::string(what) + ")";
    }
    ~About() { findings_.about_.clear(); }
    About(const About&) = delete;
    About& operator=(const About&) = delete;

   private:
    Findings& findings_;
  };

  // Throws one Error with a line for each of the first findings in the order of the file, and how
  // many more there are. Its category is kFile if every finding is about an unreadable file, else
  // kScene. Does nothing if there are none.
  void throw_if_any() const;

 private:
  struct Finding {
    Location where;
    std::string text;
    ErrorCategory category;
  };
  std::vector<Finding> findings_;
  std::string about_;
};

// The candidate with the smallest edit distance to `word`, or empty if none is near enough to be
// what was meant.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

// "; did you mean 'x'?" or empty.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates);

// "a, b, c"
std::string list_of(const std::vector<std::string_view>& names);

}  // namespace firn::scene

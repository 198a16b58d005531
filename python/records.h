// Classes of values that the engine hands out: read-only from Python, which can copy and pickle
// them.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "python/names.h"

namespace firn::python {

namespace nb = nanobind;

// nb::class_ of a struct with default values, which remembers the members that it is told of. A
// pickled one is a dictionary of these: one of another version may lack some, or have more.
template <class T, class... Base>
class Record : public nb::class_<T, Base...> {
 public:
  template <class... More>
  Record(nb::handle scope, const char* name, const More&... more)
      : nb::class_<T, Base...>(scope, name, more...) {
    this->def("__getstate__", [kept = kept_](const T& self) {
      nb::dict state;
      for (const Member& member : *kept) state[member.name.c_str()] = member.get(self);
      return state;
    });
    this->def("__setstate__", [kept = kept_](T& self, const nb::dict& state) {
      new (&self) T();
      for (const Member& member : *kept)
        if (state.contains(member.name.c_str())) member.set(self, state[member.name.c_str()]);
    });
  }

  template <class Class, class Value, class... More>
  Record& def_ro(const char* name, Value Class::*member, const More&... more) {
    nb::class_<T, Base...>::def_ro(name, member, more...);
    return keep(
        name, [member](const T& self) { return nb::cast(self.*member); },
        [member](T& self, nb::handle value) { self.*member = nb::cast<Value>(value); });
  }
  // An enumeration, by the names of its values.
  template <class Class, class Kind, class... More>
  Record& def_prop_ro(const char* name, Named<Class, Kind> get, const More&... more) {
    nb::class_<T, Base...>::def_prop_ro(name, get, more...);
    return keep(
        name, [get](const T& self) { return nb::cast(get(self)); },
        [get](T& self, nb::handle value) {
          get.set(self, nb::cast<typename Named<Class, Kind>::Text>(value));
        });
  }
  // What follows from other members.
  template <class Get, class... More>
  Record& def_prop_ro(const char* name, Get&& get, const More&... more) {
    nb::class_<T, Base...>::def_prop_ro(name, std::forward<Get>(get), more...);
    return *this;
  }

  using Get = std::function<nb::object(const T&)>;
  using Set = std::function<void(T&, nb::handle)>;
  // A part of the state that is not what the member of this name looks like in Python.
  Record& keep(const char* name, Get get, Set set) {
    kept_->push_back({name, std::move(get), std::move(set)});
    return *this;
  }
  // Those of the class that this one derives from.
  template <class Other>
  Record& keep_all_of(const Record<Other>& base) {
    for (const auto& [name, get, set] : base.kept()) keep(name.c_str(), get, set);
    return *this;
  }

  struct Member {
    std::string name;
    Get get;
    Set set;
  };
  const std::vector<Member>& kept() const { return *kept_; }

 private:
  std::shared_ptr<std::vector<Member>> kept_ = std::make_shared<std::vector<Member>>();
};

}  // namespace firn::python

// Makes instructions of one kernel's text. Called functions are expanded in place: a thread has no
// stack, and their parameters are local memory of the caller.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "decode.h"
#include "lexer.h"

namespace emulator::core {

struct Operand {
  enum Kind : std::uint8_t { kRegister, kImmediate, kAddress, kVector, kSink, kName } kind = kSink;
  std::uint32_t id = kNone;      // register, or base register of an address
  std::uint32_t second = kNone;  // behind '|'
  std::uint64_t value = 0;       // immediate, offset of an address, value of a symbol
  std::optional<Space> space;    // of the symbol in an address
  bool negated = false;
  std::vector<Operand> elements;
  std::string_view text;
};

// A name for registers ("%r<100>") or for memory in a scope of braces.
struct Family {
  std::string_view prefix;
  std::uint32_t count, first;  // count 0: one register of just this name
};
struct Place {
  Space space;
  std::uint64_t offset;
};
struct Scope {
  std::vector<Family> registers;
  std::map<std::string_view, Place> places;
};

// Labels and open ends of one expansion of a function.
struct Expansion {
  struct Fixup {
    std::uint32_t instruction;
    std::string_view label;
    std::uint32_t line;
  };
  std::map<std::string_view, std::uint32_t> labels;
  std::map<std::string_view, std::vector<std::string_view>> tables;
  std::vector<Fixup> branches, table_branches;
  std::vector<std::uint32_t> returns;
};

// Registers like %tid.x, by name.
const std::unordered_map<std::string_view, Special>& specials();

class Decoder {
 public:
  Decoder(const Kernel& kernel, Code& code)
      : kernel_(kernel), module_(*kernel.module), code_(code) {}

  void run();

 private:
  struct Guard {
    std::uint32_t id = kNone;
    bool negated = false;
  };
  // Suffixes of loads, stores and atomics. Those that only speak of caches and of how far an order
  // reaches do nothing here: there is one memory, and blocks run in turn.
  struct MemorySuffixes {
    std::optional<Space> space;
    bool strong = false;
    int vector = 1;
    std::string_view operation, type;
  };

  // Names and operands (decode_operands.cpp).
  std::uint32_t fresh(Slot slot);
  std::uint32_t unique(Slot slot, VirtualRegister::Kind kind, std::uint64_t value);
  void declare_registers(Lexer& lex);
  std::uint32_t find_register(std::string_view name) const;
  std::optional<Place> find_place(std::string_view name) const;
  Operand operand(Lexer& lex);
  static Operand number(Lexer& lex, Operand o);
  Operand vector_operand(Lexer& lex);
  Operand address(Lexer& lex);
  // The number of the virtual register that holds the operand.
  std::uint32_t source(const Operand& o, Slot slot);
  std::uint32_t destination(const Operand& o, Slot slot);
  void check_slot(std::uint32_t id, Slot slot) const;
  Slot slot_of(const Operand& o, Slot otherwise) const;

  // Instructions by family (decode_instructions.cpp, decode_memory.cpp).
  std::uint32_t here() const;
  Instruction& emit(Instruction in);
  void emit_exit();
  static void add(Instruction& in, std::uint32_t id, bool writes = false, bool negated = false);
  void emit_operation(const Operation& op, const std::vector<Operand>& list);
  void instruction(Lexer& lex);
  // Registers of a conversion may be wider than its types: the source's low bits are taken, and the
  // result is extended as its type says.
  void convert(const Operation& op, const std::vector<std::string_view>& parts,
               std::vector<Operand> list);
  Instruction control(Flow flow);
  void branch(const std::vector<Operand>& list);
  void table_branch(const std::vector<Operand>& list);
  void leave();
  void exit_here();
  void convert_address(const std::vector<std::string_view>& parts,
                       const std::vector<Operand>& list);
  // Moves of vectors; others go by the table.
  bool mov(const std::vector<Operand>& list);
  bool read_clock(const Operand& d, const Operand& s);
  MemorySuffixes suffixes(const std::vector<std::string_view>& parts) const;
  void put_address(Instruction& in, const Operand& o, Space& space);
  void load_store(const std::vector<std::string_view>& parts, const std::vector<Operand>& list);
  void atomic(const std::vector<std::string_view>& parts, const std::vector<Operand>& list);
  void put_data(Instruction& in, const Operand& what, Slot slot, bool writes);
  void finish(Instruction& in, const MemoryForm& form, const MemorySuffixes& s, const Operand& what,
              bool reads_register);
  // bar.sync a{, b};  bar.arrive a, b;  bar.red.op p, a{, b}, c;  bar.warp.sync mask;
  void cluster_barrier(const std::vector<std::string_view>& parts);
  void barrier(std::string_view opcode, const std::vector<std::string_view>& parts,
               std::vector<Operand> list);

  // Bodies of functions (decode.cpp).
  static std::uint64_t reserve(std::uint32_t& end, std::uint64_t bytes, std::uint32_t align);
  void place_shared(std::string_view name, const SharedSymbol& s);
  // Static shared memory of a kernel and of what it calls; the dynamic part follows it.
  void lay_out_shared(const FunctionText& f);
  void scan_shared(const FunctionText& f);
  std::vector<std::string_view> call_list(Lexer& lex);
  Place local_place(std::string_view name) const;
  void call(Lexer& lex);
  // Operands of a builtin are places in local memory, not registers: those of arguments, then of
  // the result.
  void call_builtin(Execute run, const std::vector<std::string_view>& results,
                    const std::vector<std::string_view>& arguments);
  void call_function(const FunctionText& f, const std::vector<std::string_view>& results,
                     const std::vector<std::string_view>& arguments);
  void expand(const FunctionText& f);
  static std::uint32_t target(const Expansion& e, std::string_view label, std::uint32_t line);
  void statement(Lexer& lex, Expansion& expansion);
  void label_or_instruction(Lexer& lex, Expansion& expansion);
  void directive(Lexer& lex);
  void location(Lexer& lex, std::uint32_t line);

  const Kernel& kernel_;
  const Module& module_;
  Code& code_;
  std::vector<VirtualRegister> virtuals_;
  std::map<std::tuple<Slot, VirtualRegister::Kind, std::uint64_t>, std::uint32_t> unique_;
  std::vector<Scope> scopes_;
  std::map<std::string_view, std::uint64_t> shared_;
  std::map<std::string_view, bool> scanned_;
  std::vector<std::string_view> dynamic_;
  std::uint32_t shared_end_ = 0, local_end_ = 0, line_ = 0, source_ = kNone, carry_ = kNone;
  Guard guard_;
  bool arrived_ = false;  // the last instruction was half of a barrier of a cluster
  Expansion* expansion_ = nullptr;
  int depth_ = 0;
};

}  // namespace emulator::core

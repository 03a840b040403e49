// What is open for one file of the traced program. Internal; `Symbols` keeps one per module, made when first asked about.
#pragma once

#include <memory>
#include <string>

#include "core/module.hpp"
#include "symbols/die_names.hpp"
#include "symbols/elf_symbols.hpp"
#include "symbols/names.hpp"
#include "symbols/symbols.hpp"
#include "symbols/type_definitions.hpp"
#include "symbols/units.hpp"

namespace callpath::dw {

class ModuleState {
 public:
  explicit ModuleState(const Module&);
  ~ModuleState();
  ModuleState(const ModuleState&) = delete;

  const std::string& file_name() const { return file_name_; }
  const ElfFile* code() const { return code_.get(); }          ///< Null if the file cannot be read or is not the one that was loaded.
  const ElfFile* detached() const { return detached_.get(); }  ///< The separate debug file in use, or null.
  const std::string& problem() const { return problem_; }      ///< Why there is no file, for people; empty if there is one.

  const ElfSymbols& symbols();
  Units& units();
  DieNames& die_names() { return die_names_; }
  TypeDefinitions& types();
  Naming& naming() { return naming_; }
  bool has_dwarf();  ///< Functions are described, not lines only (all split files gone).
  DebugLevel level();

 private:
  void open(const Module&);
  Dwarf* dwarf();

  std::string file_name_, problem_;
  std::unique_ptr<ElfFile> code_, detached_;
  Dwarf* dwarf_ = nullptr;
  bool dwarf_tried_ = false;
  std::unique_ptr<ElfSymbols> symbols_;
  std::unique_ptr<Units> units_;
  DieNames die_names_;
  std::unique_ptr<TypeDefinitions> types_;
  Naming naming_;
};

}  // namespace callpath::dw

// What is open for one file of the traced program. Internal; `Symbols` keeps one per module, made when first asked about.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "core/module.hpp"
#include "symbols/data_symbols.hpp"
#include "symbols/die_names.hpp"
#include "symbols/elf_symbols.hpp"
#include "symbols/index_file.hpp"
#include "symbols/names.hpp"
#include "symbols/symbols.hpp"
#include "symbols/type_definitions.hpp"
#include "symbols/units.hpp"

namespace callpath::dw {

class ModuleState {
 public:
  /// With `keeps_index` what is found is read from and left in the user's cache folder.
  ModuleState(const Module&, bool keeps_index);
  ~ModuleState();
  ModuleState(const ModuleState&) = delete;

  const std::string& file_name() const { return file_name_; }
  const ElfFile* code() const { return code_.get(); }          ///< Null if the file cannot be read or is not the one that was loaded.
  const ElfFile* detached() const { return detached_.get(); }  ///< The separate debug file in use, or null.
  const std::string& rejected() const { return rejected_; }    ///< A debug file in its place that was made for another build, or empty.
  const std::string& problem() const { return problem_; }      ///< Why there is no file, for people; empty if there is one.

  const ElfSymbols& symbols();
  const DataSymbols* data();  ///< Null if the file cannot be read.
  Units& units();
  DieNames& die_names() { return die_names_; }
  TypeDefinitions& types();
  Naming& naming() { return naming_; }
  /// Of what was read before of this very file, if anything.
  IndexFile* saved();
  /// A unit that was asked about often enough, laid out flat; else null.
  const UnitIndex* flat(int unit);
  std::vector<std::string> missing_splits();

  bool has_dwarf();  ///< Functions are described, not lines only (all split files gone).
  DebugLevel level();

 private:
  struct Flat {
    int asked = 0;
    std::string bytes;
    std::optional<UnitIndex> index;
  };
  void open(const Module&);
  std::string index_key() const;
  void lay_out(int unit, Flat&);
  void save_index();
  Dwarf* dwarf();

  std::string file_name_, problem_, rejected_;
  bool keeps_index_, saved_tried_ = false;
  std::unique_ptr<IndexFile> saved_;
  std::unordered_map<int, Flat> flat_;  ///< Units that were asked about.
  std::unique_ptr<ElfFile> code_, detached_;
  Dwarf* dwarf_ = nullptr;
  bool dwarf_tried_ = false;
  std::unique_ptr<ElfSymbols> symbols_;
  std::unique_ptr<DataSymbols> data_;
  std::unique_ptr<Units> units_;
  DieNames die_names_;
  std::unique_ptr<TypeDefinitions> types_;
  Naming naming_;
};

}  // namespace callpath::dw

// The page that lists every report of `callpath walk all`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/walkthrough.hpp"

namespace callpath::cli {

struct IndexEntry {
  const Walkthrough* walk = nullptr;
  std::string page;  ///< Of the walkthrough itself; empty if there is none.
  struct Other {
    std::string title, page;
  };
  std::vector<Other> variants;
  bool ran_here = true;
};

/// Writes index.html, and each lesson's text as a page of its own, into the folder.
void write_index(const std::vector<IndexEntry>&, const std::string& language, const std::filesystem::path& folder);

}  // namespace callpath::cli

// Writing what was taken: records and pages.
#pragma once

#include <filesystem>
#include <string>

#include "cli/walk_take.hpp"

namespace callpath::cli {

/// Throws Error if files cannot be written to the folder, which is made if it is not there.
void check_writable(const std::filesystem::path& folder);

/// Writes STEM.json and STEM.html; gives the path without the ending.
std::string write_pages(const Recording&, const Walkthrough&, const std::string& title, const std::string& verdict,
                        const std::string& language, const std::filesystem::path& out, const std::string& stem);

/// The walkthrough's title, or that of a variant of it.
std::string title_of(const Walkthrough&, const std::string& variant, const std::string& language);

/// Takes every variant by the process route, or by gdb where it has no other; by the stem of its files. Those that the lesson says never
/// reach the stop are left out, and those that cannot run here. Throws
/// Error for one that fails otherwise.
Recordings take_variants(const Walkthrough&, const Places&, const std::string& python);

}  // namespace callpath::cli

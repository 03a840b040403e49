// What walkthroughs there are, and what one of them offers. Printed to standard output.
#pragma once

#include "cli/places.hpp"
#include "cli/walkthrough.hpp"

namespace callpath::cli {

/// By track, with what each needs and whether it can run here.
void print_list(const Places&, const std::string& python, const std::string& language);

void print_variants(const Walkthrough&, const std::string& language);

/// The heading of a track; throws Error for one that there is not.
std::string track_title(const std::string& track, const std::string& language);

/// The tracks in the order in which they are listed.
extern const std::vector<std::string> tracks;

}  // namespace callpath::cli

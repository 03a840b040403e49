// The list of a page's events, each with its path's fingerprint.
#pragma once

#include <map>
#include <string>

#include "explain/story.hpp"

namespace callpath {

/// Collects events one by one, so that their stories need not be kept.
class EventsList {
 public:
  void add(const Story&);
  /// The list, the shapes of the fingerprints before it, the page's tools at its head.
  std::string text(const Words&, const std::string& tools) const;

 private:
  std::map<std::string, std::size_t> shapes_;  ///< Each shape is drawn once and used by the events that have it.
  std::string symbols_, items_;
  std::size_t count_ = 0;
};

/// The path's line in 40 x 60 pixels, without the element around it: called first on top.
std::string fingerprint(const Story&);

}  // namespace callpath

// What a page shows about one stage.
#pragma once

#include <string>

#include "explain/story.hpp"
#include "views/html.hpp"

namespace callpath {

/// `<b>taken</b>` among its options.
std::string html_choice(const Choice&);

/// Frames of a row, called first on top, equal neighbours as one: list items.
std::string html_frames(const Story&, const Row&, const std::string& id_prefix, bool with_ids);

/// The inside of a stage's detail.
std::string html_detail(const Story&, const Row&, const HtmlOptions&, const std::string& id_prefix);

}  // namespace callpath

#include "explain/embedded.hpp"

// Placed by embedded_data.S.
extern "C" const char callpath_notes_begin[], callpath_notes_end[], callpath_phrases_begin[], callpath_phrases_end[];

namespace callpath::embedded {

std::string_view notes() { return {callpath_notes_begin, static_cast<std::size_t>(callpath_notes_end - callpath_notes_begin)}; }

std::string_view phrases() { return {callpath_phrases_begin, static_cast<std::size_t>(callpath_phrases_end - callpath_phrases_begin)}; }

}  // namespace callpath::embedded

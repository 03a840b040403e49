#include "views/embedded.hpp"

// Placed by embedded_data.S.
extern "C" const char callpath_page_css_begin[], callpath_page_css_end[], callpath_page_js_begin[], callpath_page_js_end[],
    callpath_highlight_begin[], callpath_highlight_end[];

namespace callpath::embedded {
namespace {
std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }
}  // namespace

std::string_view page_css() { return between(callpath_page_css_begin, callpath_page_css_end); }
std::string_view page_js() { return between(callpath_page_js_begin, callpath_page_js_end); }
std::string_view highlight_js() { return between(callpath_highlight_begin, callpath_highlight_end); }

}  // namespace callpath::embedded

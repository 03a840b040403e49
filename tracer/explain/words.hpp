// The words of the views themselves, English and Chinese. Layer names, function names and opcodes stay English in both.
#pragma once

#include <string>
#include <string_view>

namespace callpath {

struct Words {
  const char* html_lang;
  const char *from, *to, *frame, *layer, *function, *decided;  // column heads and labels
  const char *order, *order_bt;                                // which way to read
  const char *returned, *on_stack, *pending;                   // legend of the marks
  const char *how, *frames_in_stage, *by_hand, *evidence, *otherwise, *arguments, *where_to_get;
  const char *inlined, *left_no_frame, *symbol_only, *inferred, *unknown;  // confidence and kinds
  const char *told, *modules, *module, *debug, *advice, *frames, *recording, *events, *theme, *every_frame, *keys;
  const char *value, *line, *thread, *incomplete, *colon, *full_names, *missing_frames, *fact, *place, *sentence, *kind;
  const char *search, *present, *right, *not_here, *as_in_event;  // not_here, as_in_event: something follows

  /// "47 C and C++ frames, 2 Python frames, 2 calls that left no frame"
  std::string (*totals)(int native, int python, int elided);
  /// "3 calls returned, **3 is on the stack, + is still to come", with the current one's place marked by \1 and \2.
  std::string (*state)(int returned, const std::string& current, const std::string& pending);
  /// "11 frames: "
  std::string (*folded)(int frames);
  std::string (*rounds)(int count);  ///< "x 4,998"
  /// "From y = f(x) to return x;": a page's first heading.
  std::string (*from_to)(const std::string& from, const std::string& to);
  std::string (*of_frames)(int missing, int all);  ///< "3 of 4"
  std::string (*events_count)(int count);          ///< "1,000 events"
};

/// English unless the language is "zh".
const Words& words(std::string_view language);

}  // namespace callpath

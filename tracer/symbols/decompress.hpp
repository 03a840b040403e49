// Compressed debug sections, made plain before libdw asks for them.
#pragma once

#include <libelf.h>

namespace callpath::dw {

/// Two at a time where there are two processors: libdw would do it one by one, and that is half of the time that a first look takes. What
/// cannot be decompressed is left as it is. Nobody else may use the file meanwhile.
void decompress_sections(Elf*);

}  // namespace callpath::dw

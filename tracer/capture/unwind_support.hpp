// Where a walk goes when the unwinder meets data that it would abort on.
#pragma once

namespace callpath::capture {

/// The __builtin_setjmp buffer of this thread's current walk; null outside one.
extern thread_local void** give_up_to;

}  // namespace callpath::capture

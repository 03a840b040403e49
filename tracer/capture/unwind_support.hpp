// Where a walk goes when the unwinder meets data that it would abort on.
#pragma once

namespace callpath::capture {

/// The __builtin_setjmp buffer of this thread's current walk; null outside one.
extern __thread void** give_up_to;  // Not thread_local: that would go through an initialiser.

}  // namespace callpath::capture

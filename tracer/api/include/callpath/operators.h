/* For libraries that want their operators told: one word of a fixed name, which tracers find by that name. Nothing of callpath is linked;
   this header may be copied.

   In one source file of the library:

       #define CALLPATH_OPERATORS_DEFINE
       #include <callpath/operators.h>

   and where an operator begins, before it looks for its kernel:

       callpath_tell_operator("mylib::pow.Tensor_Scalar");

   The word is null while nobody listens, and telling costs one load and a branch. A listener is called in the calling thread, holds it up
   for as long as it likes, and may be taken away at any moment: a call that is under way may still come. The name must stay where it is for
   as long as the library is loaded. `callpath run --events 'operators:*pow*'` is such a listener. */
#ifndef CALLPATH_OPERATORS_H
#define CALLPATH_OPERATORS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*callpath_operator_hook_function)(const char* name);

/* Protected: each library that has one keeps its own, however it was loaded. */
extern callpath_operator_hook_function callpath_operator_hook __attribute__((visibility("protected")));

#ifdef CALLPATH_OPERATORS_DEFINE
callpath_operator_hook_function callpath_operator_hook = 0;
#endif

static inline void callpath_tell_operator(const char* name) {
  callpath_operator_hook_function hook = __atomic_load_n(&callpath_operator_hook, __ATOMIC_RELAXED);
  if (__builtin_expect(hook != 0, 0)) hook(name);
}

#ifdef __cplusplus
}
#endif

#endif

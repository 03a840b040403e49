// How the tests run under the address sanitiser (preset asan).

// Tests ask for more memory than there is, and the engine must see that it does not get it.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

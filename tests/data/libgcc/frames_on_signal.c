/* Preloaded into a program: at SIGUSR1 it writes the frames that libgcc's unwinder finds behind the signal, as "MODULE OFFSET" lines, to the file
   that LIBGCC_FRAMES names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

struct walk {
  FILE *out;
  unsigned long interrupted;
  int behind;
};

static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *data) {
  struct walk *walk = data;
  unsigned long pc = _Unwind_GetIP(context);
  if (pc == walk->interrupted) walk->behind = 1;
  Dl_info info;
  struct link_map *map = NULL;
  if (!walk->behind || !pc) return _URC_NO_REASON;
  if (!dladdr1((void *)pc, &info, (void **)&map, RTLD_DL_LINKMAP)) return _URC_NO_REASON;
  const char *slash = strrchr(info.dli_fname, '/');
  fprintf(walk->out, "%s %lx\n", slash ? slash + 1 : info.dli_fname, pc - map->l_addr);
  return _URC_NO_REASON;
}

static void on_signal(int number, siginfo_t *info, void *data) {
  (void)number, (void)info;
  struct walk walk = {fopen(getenv("LIBGCC_FRAMES"), "w"), (unsigned long)((ucontext_t *)data)->uc_mcontext.gregs[REG_RIP], 0};
  if (!walk.out) _exit(9);
  _Unwind_Backtrace(frame, &walk);
  fclose(walk.out);
}

__attribute__((constructor)) static void start(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
}

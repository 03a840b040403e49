/* The C interface from C99, a capture inside a signal handler among it. Prints the frames that lie in this program's own functions. */
#define _GNU_SOURCE
#include <callpath/callpath.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static callpath_frame frames[256];
static size_t count;
static callpath_end end;

static void handler(int number) {
  (void)number;
  count = callpath_capture(frames, 256, &end);
}

__attribute__((noinline)) static void raises(void) {
  raise(SIGUSR1);
  __asm__ volatile("");
}

int main(int argc, char** argv) {
  size_t i;
  callpath_recording* recording = callpath_recording_new();
  if (!recording || callpath_refresh_modules() != 0) return 1;
  signal(SIGUSR1, handler);
  raises();
  printf("%s\n", callpath_end_text(end));
  printf("%s\n", callpath_frame_lookup(frames[0]) == frames[0].pc - 1 && callpath_frame_sp(frames[1]) > callpath_frame_sp(frames[0]) ? "in order" : "out of order");
  for (i = 0; i < count; ++i)
    if (frames[i].sp_exact & 1) printf("interrupted\n");
  if (callpath_record_frames(recording, "from a handler", frames, count, end) != 0) return 2;
  printf("%zu\n", callpath_event_count(recording));
  if (callpath_save(recording, argv[argc - 1]) != 0) return 3;
  if (callpath_show(recording, 7, 100, 0) || !strlen(callpath_error())) return 4;
  if (callpath_save(recording, "/nowhere/at/all.json") != -1) return 5;
  printf("error: %s\n", callpath_error());
  callpath_recording_free(recording);
  return 0;
}

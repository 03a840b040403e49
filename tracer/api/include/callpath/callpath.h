/* callpath from any language: the stack of the calling thread as numbers, and as a record with names, Python frames among them.

   Link with libcallpath (find_package(callpath) gives the target callpath::callpath). Functions answer 0 where they succeeded and -1 where
   not; callpath_error() then says why. Nothing here throws, and nothing ends the program. Unless a function says otherwise it may be called
   from any thread, but a recording is used by one thread at a time.

       callpath_recording* recording = callpath_recording_new();
       callpath_record_here(recording, "where I wondered", NULL);
       callpath_save(recording, "path.json");
       callpath_recording_free(recording);

   The file is a record as `callpath run` writes it: `callpath report path.json` shows it. */
#ifndef CALLPATH_CALLPATH_H
#define CALLPATH_CALLPATH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CALLPATH_API __attribute__((visibility("default")))

/* --- Stacks as numbers -------------------------------------------------------------------------------------------------------------- */

/* One frame. `pc` is a return address: look up pc - 1, once. Where the lowest bit of `sp_exact` is set it is the instruction itself (code
   that a signal interrupted): look it up as it is. The other bits are the frame's stack pointer. */
typedef struct callpath_frame {
  uint64_t pc, sp_exact;
} callpath_frame;

/* The address to look up in symbol tables. */
static inline uint64_t callpath_frame_lookup(callpath_frame frame) { return frame.sp_exact & 1 ? frame.pc : frame.pc - 1; }
static inline uint64_t callpath_frame_sp(callpath_frame frame) { return frame.sp_exact & ~(uint64_t)1; }

/* How a walk ended. */
typedef enum callpath_end {
  CALLPATH_REACHED_START = 0,
  CALLPATH_NO_UNWIND_INFO = 1,
  CALLPATH_BAD_STACK = 2,
  CALLPATH_BUFFER_FULL = 3,
  CALLPATH_GAVE_UP = 4
} callpath_end;

/* Tells the walk what is loaded. Once before the first capture, and again after dlopen or dlclose. Takes the loader's lock: not in a signal
   handler, and by one thread at a time. */
CALLPATH_API int callpath_refresh_modules(void);

/* The stack of the calling thread, the caller's frame first, into `frames`; how many there are. `end` may be null. Async-signal-safe: it
   allocates nothing, takes no lock and calls nothing outside the library. A few nanoseconds a frame where the code was met before. */
CALLPATH_API size_t callpath_capture(callpath_frame* frames, size_t capacity, callpath_end* end);

/* A Python frame: addresses of the frame, of its code object (id(frame.f_code)) and of the instruction it stands at; and which of the
   native frames runs it, or CALLPATH_NOWHERE. They are alive as long as the frame runs. */
typedef struct callpath_python_frame {
  uint64_t frame, code, instruction;
  uint32_t native, owner;
} callpath_python_frame;

#define CALLPATH_NOWHERE UINT32_MAX

/* As callpath_capture, and the calling thread's Python frames, innermost first, into `pythons`; `python_count` says how many. 0 where no
   Python that callpath knows was loaded at the last callpath_refresh_modules, or it does not know the thread. Below a call into a
   subinterpreter: those of one interpreter. Not in a signal handler. About a microsecond for 200 native and 60 Python frames. */
CALLPATH_API size_t callpath_capture_merged(callpath_frame* frames, size_t capacity, callpath_python_frame* pythons, size_t python_capacity,
                                            size_t* python_count, callpath_end* end);

/* In words; never null. */
CALLPATH_API const char* callpath_end_text(callpath_end end);

/* --- Records ------------------------------------------------------------------------------------------------------------------------ */

/* Events with names, values and explanations, as they are written to a file. */
typedef struct callpath_recording callpath_recording;

CALLPATH_API callpath_recording* callpath_recording_new(void);
CALLPATH_API void callpath_recording_free(callpath_recording* recording);

/* Adds the calling thread's path as an event: native and Python frames, merged. `label` says in the record what was asked for. Frames
   inward of the outermost Python frame of the file `beyond` are left out, that one too; null: none. With the GIL held, where a Python is
   loaded; else the Python frames of other threads' making may be missed. Takes from a millisecond on, mostly for names. */
CALLPATH_API int callpath_record_here(callpath_recording* recording, const char* label, const char* beyond);

/* Adds frames that were captured before, by names of the native frames alone: Python frames can be read only while they run. The files they
   lie in must still be loaded. */
CALLPATH_API int callpath_record_frames(callpath_recording* recording, const char* label, const callpath_frame* frames, size_t count,
                                        callpath_end end);

/* Reads a record's file in place of what the recording holds. */
CALLPATH_API int callpath_load(callpath_recording* recording, const char* path);

/* The same from JSON text. */
CALLPATH_API int callpath_load_text(callpath_recording* recording, const char* json);

CALLPATH_API size_t callpath_event_count(const callpath_recording* recording);

/* Writes the record; the file is there whole or not at all. */
CALLPATH_API int callpath_save(const callpath_recording* recording, const char* path);

/* Writes a page that stands alone. `language`: "en" or "zh". */
CALLPATH_API int callpath_write_html(const callpath_recording* recording, const char* path, const char* language);

/* The record's JSON, and one event (from 0) as text for a terminal of `width` columns, with colours or without: to be given to
   callpath_text_free; null where it failed. */
CALLPATH_API char* callpath_json(const callpath_recording* recording);
CALLPATH_API char* callpath_show(const callpath_recording* recording, size_t event, int width, int colours);
CALLPATH_API void callpath_text_free(char* text);

/* Why the last call of this thread failed; empty if none did. Valid until the thread's next call. */
CALLPATH_API const char* callpath_error(void);

/* "0.1.0" */
CALLPATH_API const char* callpath_version(void);

#ifdef __cplusplus
}
#endif

#endif

/* Native halves of generated call nests, and the log of the truth: each function, Python's or ours, writes itself down on entry and takes
   itself off on exit. `here` asks callpath for the merged stack and compares it with the log. Nothing here reads a stack by callpath's means:
   where a Python function runs is asked of libgcc's unwinder at its entry. Built by the tests for each interpreter. */
#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <alloca.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unwind.h>

#include "nest_capture.h"

enum { deepest = 20000, name_size = 120, kind_size = 40, most_kinds = 200, most_complaints = 20, most_entries = 60000 };

struct truth {
  int python;
  char name[name_size], kind[kind_size];
  uintptr_t place; /* Within the native frame that runs it. */
};

static __thread struct truth* log_;
static __thread int depth;

/* Logs other than the one in use: a greenlet has its own stack of Python frames, thus its own log. */
enum { most_logs = 4096 };
static __thread struct {
  struct truth* entries;
  int depth;
} logs[most_logs];
static __thread int log_in_use, log_count = 1;

/* What was found, by all threads: under this lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  char name[kind_size];
  long frames;
} kinds[most_kinds];
static int kind_count;
static long captures, wrong, frames_compared;
static char* complaints[most_complaints];

static int (*capture)(struct nest_entry*, int, const char**, int*);
static char folder[4096];

static struct truth* push_truth(const char* name, const char* kind, int python, uintptr_t place) {
  if (!log_) log_ = malloc(deepest * sizeof *log_);
  if (depth == deepest) abort();
  struct truth* t = &log_[depth++];
  snprintf(t->name, name_size, "%s", name);
  snprintf(t->kind, kind_size, "%s", kind);
  t->python = python;
  t->place = place;
  return t;
}

static void pop_truth(const char* place) {
  __asm__ volatile("" : : "r"(place) : "memory");
  --depth;
}

#define ENTER(kind) char here_; push_truth(__func__, kind, 0, (uintptr_t)&here_)
#define LEAVE() pop_truth(&here_)

/* The evaluation that calls us, by libgcc's unwinder: its stack pointer. */
static uintptr_t eval_begin, eval_end;

static _Unwind_Reason_Code find_evaluation(struct _Unwind_Context* context, void* found) {
  const uintptr_t pc = _Unwind_GetIP(context);
  if (pc <= eval_begin || pc > eval_end) return _URC_NO_REASON;
  *(uintptr_t*)found = _Unwind_GetCFA(context);
  return _URC_NORMAL_STOP;
}

static PyObject* push(PyObject* self, PyObject* args) {
  const char *name, *kind;
  uintptr_t place = 0;
  if (!PyArg_ParseTuple(args, "ss", &name, &kind)) return NULL;
  _Unwind_Backtrace(find_evaluation, &place);
  push_truth(name, kind, 1, place);
  Py_RETURN_NONE;
}

static PyObject* pop(PyObject* self, PyObject* none) {
  if (depth-- == 0) abort();
  Py_RETURN_NONE;
}

static PyObject* get_depth(PyObject* self, PyObject* none) { return PyLong_FromLong(depth); }

static PyObject* new_log(PyObject* self, PyObject* none) {
  if (log_count == most_logs) abort();
  return PyLong_FromLong(log_count++);
}

/* Gives the one that was in use before. */
static PyObject* use_log(PyObject* self, PyObject* number) {
  const int before = log_in_use;
  logs[before].entries = log_, logs[before].depth = depth;
  log_in_use = (int)PyLong_AsLong(number);
  log_ = logs[log_in_use].entries, depth = logs[log_in_use].depth;
  return PyLong_FromLong(before);
}

static void count(const struct truth* t) {
  int i = 0;
  while (i < kind_count && strcmp(kinds[i].name, t->kind)) ++i;
  if (i == most_kinds) abort();
  if (i == kind_count) strcpy(kinds[kind_count++].name, t->kind);
  ++kinds[i].frames;
}

/* Whether an entry of the merged stack is one of those that write themselves down; its name if so. */
static const char* generated(const struct nest_entry* e) {
  if (e->python) {
    if (strncmp(e->file, "<nest", 5) && (!*folder || strncmp(e->file, folder, strlen(folder)))) return NULL;
    return strstr(e->name, "quiet") ? NULL : e->name;
  }
  Dl_info info;
  if (!dladdr((void*)(e->pc - 1), &info) || !info.dli_sname || strncmp(info.dli_sname, "nest_", 5)) return NULL;
  return info.dli_sname;
}

enum { slack = 256 }; /* An evaluation may have arguments on the stack at one call and none at another. */

static int fits(const struct nest_entry* e, const char* name, const struct truth* t) {
  if (e->python != t->python || strcmp(name, t->name)) return 0;
  return e->sp <= t->place + slack && t->place < e->cfa;
}

static void complain(const struct nest_entry* entries, int n, const char* note, const char* label) {
  if (wrong > most_complaints) return;
  size_t size = 1 << 16, used = 0;
  char* text = malloc(size);
  used += snprintf(text, size, "%s, %s\ntruth:", label, note);
  for (int i = depth; i-- > 0 && used < size / 2;)
    used += snprintf(text + used, size - used, " %c:%s@%lx (%s)", log_[i].python ? 'P' : 'N', log_[i].name, (long)log_[i].place, log_[i].kind);
  used += snprintf(text + used, size - used, "\nmerged:");
  for (int i = 0; i < n && used < size - 1000; ++i) {
    const char* name = generated(&entries[i]);
    if (name) used += snprintf(text + used, size - used, " %c:%s@%lx-%lx", entries[i].python ? 'P' : 'N', name, (long)entries[i].sp, (long)entries[i].cfa);
  }
  complaints[wrong - 1] = text;
}

/* What a wrong merge looks like, to see that it is noticed. */
static char fault[16];

static void spoil(struct nest_entry* entries, int n) {
  int last = -1;
  for (int i = 0; i < n; ++i) {
    if (!strcmp(fault, "shift") && entries[i].python)
      for (int j = i + 1; j < n; ++j)
        if (!entries[j].python && entries[j].sp > entries[i].sp) {
          entries[i].sp = entries[j].sp, entries[i].cfa = entries[j].cfa;
          break;
        }
    if (!generated(&entries[i])) continue;
    if (!strcmp(fault, "drop")) {
      entries[i].python = 1, entries[i].file = "elsewhere";
      return;
    }
    if (!strcmp(fault, "swap") && last >= 0) {
      const struct nest_entry kept = entries[i];
      entries[i] = entries[last], entries[last] = kept;
      return;
    }
    last = i;
  }
}

static void compare(const char* label) {
  struct nest_entry* entries = malloc(most_entries * sizeof *entries);
  const char* note = "";
  int complete = 0;
  const int n = capture(entries, most_entries, &note, &complete);
  pthread_mutex_lock(&lock);
  spoil(entries, n);
  /* A greenlet's C stack goes on into what lay there when it began, which may be gone. */
  int at = depth, same = n > 0 && (complete || log_in_use);
  for (int i = 0; same && i < n; ++i) {
    const char* name = generated(&entries[i]);
    /* A greenlet has Python frames of its own, on the C stack of whoever started it. */
    if (name && at == 0 && log_in_use && !entries[i].python) break;
    if (name) same = at > 0 && fits(&entries[i], name, &log_[--at]);
  }
  same = same && at == 0;
  ++captures;
  if (!same) ++wrong, complain(entries, n, note, label);
  if (same) frames_compared += depth;
  for (int i = 0; same && i < depth; ++i) count(&log_[i]);
  pthread_mutex_unlock(&lock);
  free(entries);
}

static PyObject* here(PyObject* self, PyObject* label) {
  compare(PyUnicode_AsUTF8(label));
  Py_RETURN_NONE;
}

static PyObject* done(PyObject* result) {
  Py_XDECREF(result);
  if (!result) return NULL;
  Py_RETURN_NONE;
}

/* Natives that call back. Exported, so that their names are in the dynamic symbol table. */
#define HELPER __attribute__((noinline, visibility("default")))

HELPER PyObject* nest_call(PyObject* self, PyObject* f) {
  ENTER("native: call");
  PyObject* result = PyObject_CallNoArgs(f);
  LEAVE();
  return done(result);
}

HELPER PyObject* nest_call_tuple(PyObject* self, PyObject* f) {
  ENTER("native: call with a tuple");
  PyObject* args = PyTuple_New(0);
  PyObject* result = PyObject_Call(f, args, NULL);
  Py_DECREF(args);
  LEAVE();
  return done(result);
}

HELPER PyObject* nest_method(PyObject* self, PyObject* o) {
  ENTER("native: method");
  PyObject* result = PyObject_CallMethod(o, "m", NULL);
  LEAVE();
  return done(result);
}

HELPER PyObject* nest_attribute(PyObject* self, PyObject* o) {
  ENTER("native: attribute");
  PyObject* result = PyObject_GetAttrString(o, "p");
  LEAVE();
  return done(result);
}

HELPER PyObject* nest_next(PyObject* self, PyObject* iterator) {
  ENTER("native: iterator");
  PyObject* result = PyIter_Next(iterator);
  LEAVE();
  return done(result);
}

HELPER PyObject* nest_compare(PyObject* self, PyObject* o) {
  ENTER("native: comparison");
  PyObject* result = PyObject_RichCompare(o, Py_None, Py_LT);
  LEAVE();
  return done(result);
}

static __thread PyObject* to_compare;
HELPER int nest_comparator(const void* a, const void* b) {
  ENTER("native: comparator of qsort");
  PyObject* f = to_compare;
  to_compare = NULL;
  if (f) Py_XDECREF(PyObject_CallNoArgs(f));
  LEAVE();
  return *(const int*)a - *(const int*)b;
}

HELPER PyObject* nest_qsort(PyObject* self, PyObject* f) {
  ENTER("native: qsort");
  int numbers[] = {2, 1};
  to_compare = f;
  qsort(numbers, 2, sizeof numbers[0], nest_comparator);
  LEAVE();
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

HELPER PyObject* nest_descend(PyObject* f, int levels) {
  ENTER("native: recursion with frames of many sizes");
  volatile char* block = alloca(16 + levels * 24);
  block[0] = 1;
  PyObject* result = levels ? nest_descend(f, levels - 1) : PyObject_CallNoArgs(f);
  __asm__ volatile("" : : "r"(block) : "memory");
  LEAVE();
  return result;
}

static PyObject* descend(PyObject* self, PyObject* f) { return done(nest_descend(f, 12)); }

HELPER void nest_thread_code(PyObject* f) {
  ENTER("native: thread through PyGILState");
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* result = PyObject_CallNoArgs(f);
  if (!result) PyErr_Print();
  Py_XDECREF(result);
  PyGILState_Release(state);
  LEAVE();
}

static void* thread_main(void* f) {
  nest_thread_code(f);
  free(log_);
  return NULL;
}

static PyObject* in_thread(void* (*function)(void*), void* argument) {
  pthread_t thread;
  Py_BEGIN_ALLOW_THREADS;
  if (pthread_create(&thread, NULL, function, argument)) abort();
  pthread_join(thread, NULL);
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

HELPER PyObject* nest_thread(PyObject* self, PyObject* f) {
  ENTER("native: thread through PyGILState");
  PyObject* result = in_thread(thread_main, f);
  LEAVE();
  return result;
}

HELPER void nest_foreign_code(void) {
  ENTER("native: thread that Python never saw");
  compare("foreign thread");
  LEAVE();
}

static void* foreign_main(void* nothing) {
  nest_foreign_code();
  free(log_);
  return nothing;
}

static PyObject* foreign(PyObject* self, PyObject* none) { return in_thread(foreign_main, NULL); }

HELPER PyObject* nest_without_gil(PyObject* self, PyObject* f) {
  ENTER("native: GIL released");
  PyThreadState* state = PyEval_SaveThread();
  compare("without the GIL");
  PyEval_RestoreThread(state);
  PyObject* result = PyObject_CallNoArgs(f);
  LEAVE();
  return done(result);
}

HELPER PyObject* nest_ensure(PyObject* self, PyObject* f) {
  ENTER("native: nested PyGILState");
  PyThreadState* thread = PyEval_SaveThread();
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* result = PyObject_CallNoArgs(f);
  PyGILState_Release(state);
  PyEval_RestoreThread(thread);
  LEAVE();
  return done(result);
}

static __thread PyObject* volatile to_signal; /* raise is declared to call nothing of ours */
HELPER void nest_handler(int number) {
  ENTER("native: signal handler");
  compare("in a signal handler");
  Py_XDECREF(PyObject_CallNoArgs(to_signal)); /* Raised by the thread itself, so that nothing is interrupted half done. */
  LEAVE();
}

HELPER PyObject* nest_signal(PyObject* self, PyObject* f) {
  ENTER("native: raise");
  PyObject* outer = to_signal;
  struct sigaction action = {.sa_handler = nest_handler, .sa_flags = SA_NODEFER}, before;
  to_signal = f;
  sigaction(SIGUSR2, &action, &before);
  raise(SIGUSR2);
  sigaction(SIGUSR2, &before, NULL);
  to_signal = outer;
  LEAVE();
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

HELPER PyObject* nest_release(PyObject* self, PyObject* list) {
  ENTER("native: last reference");
  const int failed = PyList_SetSlice(list, 0, PyList_GET_SIZE(list), NULL);
  LEAVE();
  if (failed) return NULL;
  Py_RETURN_NONE;
}

HELPER __attribute__((optimize("omit-frame-pointer", "O2"))) PyObject* nest_lean(PyObject* self, PyObject* f) {
  ENTER("native: no frame pointer");
  PyObject* result = PyObject_CallNoArgs(f);
  LEAVE();
  return done(result);
}

/* PEP 523: an evaluator that passes on. Every Python call then has a C frame of its own. */
struct _PyInterpreterFrame;
HELPER PyObject* nest_evaluator(PyThreadState* thread, struct _PyInterpreterFrame* frame, int thrown) {
  static int calls;
  ENTER("native: frame evaluator");
  /* A tracer's function is entered before the function that it traces has written itself down. */
  const int traced = thread->c_tracefunc || thread->c_profilefunc;
  if (!traced && ++calls % 16 == 0) compare("before a frame is entered");
  PyObject* result = _PyEval_EvalFrameDefault(thread, frame, thrown);
  LEAVE();
  return result;
}

HELPER PyObject* nest_under_evaluator(PyObject* self, PyObject* f) {
  ENTER("native: frame evaluator");
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  const _PyFrameEvalFunction before = _PyInterpreterState_GetEvalFrameFunc(interpreter);
  _PyInterpreterState_SetEvalFrameFunc(interpreter, nest_evaluator);
  PyObject* result = PyObject_CallNoArgs(f);
  _PyInterpreterState_SetEvalFrameFunc(interpreter, before);
  LEAVE();
  return done(result);
}

static PyObject* report(PyObject* self, PyObject* none) {
  PyObject* by_kind = PyDict_New();
  PyObject* texts = PyList_New(0);
  for (int i = 0; i < kind_count; ++i) {
    PyObject* number = PyLong_FromLong(kinds[i].frames);
    PyDict_SetItemString(by_kind, kinds[i].name, number);
    Py_DECREF(number);
  }
  for (int i = 0; i < most_complaints && complaints[i]; ++i) {
    PyObject* text = PyUnicode_FromString(complaints[i]);
    PyList_Append(texts, text);
    Py_DECREF(text);
  }
  return Py_BuildValue("{s:l,s:l,s:l,s:N,s:N}", "captures", captures, "wrong", wrong, "frames", frames_compared, "kinds", by_kind, "complaints", texts);
}

/* start(LIBRARY, FOLDER, FAULT): the library of callpath's that captures, where generated modules lie, how to spoil what it says. */
static PyObject* start(PyObject* self, PyObject* args) {
  const char *library, *where, *how;
  if (!PyArg_ParseTuple(args, "sss", &library, &where, &how)) return NULL;
  snprintf(fault, sizeof fault, "%s", how);
  snprintf(folder, sizeof folder, "%s", where);
  void* loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  capture = loaded ? dlsym(loaded, "capture_nest") : NULL;
  if (!capture) return PyErr_Format(PyExc_OSError, "%s", dlerror());
  Dl_info info;
  ElfW(Sym)* symbol = NULL;
  void* evaluation = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
  if (!evaluation || !dladdr1(evaluation, &info, (void**)&symbol, RTLD_DL_SYMENT) || !symbol) return PyErr_Format(PyExc_OSError, "no evaluation");
  eval_begin = (uintptr_t)info.dli_saddr;
  eval_end = eval_begin + symbol->st_size;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"start", start, METH_VARARGS, NULL},        {"push", push, METH_VARARGS, NULL},
    {"pop", pop, METH_NOARGS, NULL},             {"depth", get_depth, METH_NOARGS, NULL},
    {"here", here, METH_O, NULL},                {"report", report, METH_NOARGS, NULL},
    {"call", nest_call, METH_O, NULL},           {"call_tuple", nest_call_tuple, METH_O, NULL},
    {"method", nest_method, METH_O, NULL},       {"attribute", nest_attribute, METH_O, NULL},
    {"next_of", nest_next, METH_O, NULL},        {"compare", nest_compare, METH_O, NULL},
    {"qsort", nest_qsort, METH_O, NULL},         {"descend", descend, METH_O, NULL},
    {"thread", nest_thread, METH_O, NULL},       {"foreign", foreign, METH_NOARGS, NULL},
    {"without_gil", nest_without_gil, METH_O, NULL}, {"ensure", nest_ensure, METH_O, NULL},
    {"signal", nest_signal, METH_O, NULL},       {"release", nest_release, METH_O, NULL},
    {"lean", nest_lean, METH_O, NULL},           {"new_log", new_log, METH_NOARGS, NULL},
    {"under_evaluator", nest_under_evaluator, METH_O, NULL},
    {"use_log", use_log, METH_O, NULL},          {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030c0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
    {0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "nest_helpers", NULL, 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_nest_helpers(void) { return PyModuleDef_Init(&definition); }

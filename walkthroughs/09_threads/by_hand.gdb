# Walkthrough 09 by hand: plain gdb, nothing of callpath.
#
#   gdb -nx -x by_hand.gdb --args /usr/bin/python3 threads.py
#
# Add -batch to let it run through. `import tensorlib` must work in the program: PYTHONPATH is the folder that holds it.

set pagination off
set confirm off
set debuginfod enabled off
set breakpoint pending on

# Before the work is cut.
tbreak tensorlib::TensorIteratorBase::for_each
run

# The system call that makes the helper: its entry, then its return. The helper exists and waits for the lock that its maker still holds. From here on one
# thread at a time, so that we say who goes on.
catch syscall clone3
continue
continue
delete
set scheduler-locking on

# The main thread's half.
break tensorlib::TensorIteratorBase::serial_for_each
continue
print begin
print end
print tensorlib_parallel_token
py-bt

# The worker was woken before the main thread began its own half. Its turn.
info threads
thread 2
continue
print begin
print end
backtrace -frame-arguments none

# For whom does it work? For the thread with this number, which stands in parallel_for until the work is done.
print tensorlib_parallel_token
thread 1
frame function tensorlib::parallel_for
info frame

#define _GNU_SOURCE
#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Arguments that `attempt_call` replaces: the path, its descriptor, the other process, and zeroed memory.
enum { PATH = INT32_MIN, FILE_NUMBER, PROCESS, MEMORY };

struct call {
  const char *name;
  long number;
  long arguments[5];
};

#define CALL(name, ...) {#name, SYS_##name, {__VA_ARGS__}}

/// Calls that change files, other processes or shared objects, and that Landlock does not govern.
static const struct call calls[] = {
    CALL(fchmod, FILE_NUMBER, 0600),
    CALL(fchmodat, AT_FDCWD, PATH, 0600),
    CALL(fchown, FILE_NUMBER, -1, -1),
    CALL(fchownat, AT_FDCWD, PATH, -1, -1, 0),
    CALL(utimensat, AT_FDCWD, PATH, 0, 0),
    CALL(setxattr, PATH, PATH, MEMORY, 0, 0),
    CALL(lsetxattr, PATH, PATH, MEMORY, 0, 0),
    CALL(fsetxattr, FILE_NUMBER, PATH, MEMORY, 0, 0),
    CALL(removexattr, PATH, PATH),
#if defined(__x86_64__)
    CALL(chmod, PATH, 0600),
    CALL(chown, PATH, -1, -1),
    CALL(lchown, PATH, -1, -1),
    CALL(utime, PATH, 0),
    CALL(utimes, PATH, 0),
    CALL(futimesat, AT_FDCWD, PATH, 0),
#endif
    CALL(prlimit64, PROCESS, RLIMIT_CORE, 0, 0),
    CALL(setpriority, PRIO_PROCESS, PROCESS, 0),
    CALL(sched_setaffinity, PROCESS, 8, MEMORY),
    CALL(sched_setscheduler, PROCESS, SCHED_OTHER, MEMORY),
    CALL(sched_setparam, PROCESS, MEMORY),
    CALL(sched_setattr, PROCESS, MEMORY, 0),
    CALL(ioprio_set, 1, PROCESS, 2 << 13),
    CALL(socketpair, AF_UNIX, SOCK_DGRAM, 0, MEMORY),
    {"socketpair of packets", SYS_socketpair, {AF_UNIX, SOCK_SEQPACKET, 0, MEMORY}},
    CALL(shmget, 0x6d666164, 4096, 0600),
    CALL(shmat, 0, 0, 0),
    CALL(msgget, 0x6d666164, 0600),
    CALL(semget, 0x6d666164, 1, 0600),
    CALL(mq_open, PATH, O_RDONLY, 0, 0),
    {"F_SETOWN", SYS_fcntl, {FILE_NUMBER, F_SETOWN, PROCESS}},
    {"F_SETOWN_EX", SYS_fcntl, {FILE_NUMBER, F_SETOWN_EX, MEMORY}},
    {"F_SETSIG", SYS_fcntl, {FILE_NUMBER, F_SETSIG, 0}},
    {"FIOSETOWN", SYS_ioctl, {FILE_NUMBER, 0x8901, MEMORY}},
    CALL(pidfd_open, PROCESS, 0),
    CALL(process_vm_writev, PROCESS, 0, 0, 0, 0),
    CALL(mount, PATH, PATH, 0, 0, 0),
    CALL(add_key, PATH, PATH, 0, 0, -3),
    CALL(tkill, PROCESS, 0),
    CALL(setgroups, 0, 0),
    CALL(mknodat, AT_FDCWD, PATH, S_IFIFO | 0600, 0),
    CALL(symlinkat, PATH, AT_FDCWD, PATH),
};

int attempt_calls(void) { return (int)(sizeof calls / sizeof *calls); }

const char *attempt_name(int index) { return calls[index].name; }

int attempt_call(int index, const char *path, int file, int32_t process) {
  static uint64_t memory[64];
  long values[5];
  for (int number = 0; number < 5; number++) {
    long value = calls[index].arguments[number];
    values[number] = value == PATH          ? (long)(uintptr_t)path
                     : value == FILE_NUMBER ? file
                     : value == PROCESS     ? process
                     : value == MEMORY      ? (long)(uintptr_t)memory
                                            : value;
  }
  long result = syscall(calls[index].number, values[0], values[1], values[2], values[3], values[4]);
  return result < 0 ? errno : 0;
}

#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "the system call numbers of this processor are unknown"
#endif

/// System calls that every program of this project may make, with any arguments.
///
/// The lists contain the calls of glibc, its name services, libcurl, OpenSSL, SQLite, libmicrohttpd and the Swift
/// runtime, and the calls that newer versions of glibc make in their place. The kernel caches these decisions.
static const int common[] = {
    // Descriptors.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_close, SYS_close_range, SYS_lseek,
    SYS_dup, SYS_dup3, SYS_pipe2, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
    SYS_epoll_pwait2, SYS_eventfd2, SYS_signalfd4, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime,
    // Memory.
    SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk, SYS_mlock, SYS_mlock2, SYS_munlock,
    SYS_mincore, SYS_membarrier,
    // Threads, signals and the end of the process.
    SYS_futex, SYS_futex_waitv, SYS_set_robust_list, SYS_get_robust_list, SYS_rseq, SYS_set_tid_address,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid, SYS_getcpu, SYS_exit, SYS_exit_group, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_rt_sigpending,
    SYS_sigaltstack, SYS_restart_syscall,
    // Time, random bytes, and facts about the process and the machine.
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrandom,
    SYS_getpid, SYS_getppid, SYS_getpgid, SYS_getsid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getresuid, SYS_getresgid, SYS_getgroups, SYS_getrlimit, SYS_getrusage, SYS_times, SYS_sysinfo, SYS_uname,
    SYS_umask, SYS_getcwd,
    // Files; Landlock decides which.
    SYS_openat, SYS_openat2, SYS_newfstatat, SYS_fstat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat,
    SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_fadvise64,
    // Sockets; the creation of sockets is limited below.
    SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_shutdown, SYS_getsockname, SYS_getpeername,
    SYS_setsockopt, SYS_getsockopt, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg,
    SYS_recvmmsg,
#if defined(__x86_64__)
    SYS_arch_prctl, SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_dup2, SYS_pipe,
    SYS_poll, SYS_select, SYS_epoll_wait, SYS_epoll_create, SYS_eventfd, SYS_signalfd, SYS_pause, SYS_time,
    SYS_getpgrp,
#endif
};

/// System calls that remove files; Landlock decides which.
static const int removal[] = {
    SYS_unlinkat,
#if defined(__x86_64__)
    SYS_unlink,
#endif
};

/// System calls of a program that keeps a database, and measures the posture of the machine.
static const int storage[] = {
    SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_fallocate, SYS_flock, SYS_pwritev, SYS_mkdirat, SYS_linkat,
    SYS_renameat2, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr,
    // Only these calls report whether the clock is synchronised. Without privileges they cannot set it.
    SYS_adjtimex, SYS_clock_adjtime,
#if defined(SYS_renameat)
    SYS_renameat,
#endif
#if defined(__x86_64__)
    SYS_rename, SYS_mkdir, SYS_rmdir, SYS_link,
#endif
};

/// System calls that start a program, and calls with which the started program confines itself.
static const int starting[] = {
    SYS_execve, SYS_wait4, SYS_waitid, SYS_kill, SYS_tgkill, SYS_setpgid, SYS_landlock_create_ruleset,
    SYS_landlock_add_rule, SYS_landlock_restrict_self, SYS_seccomp,
#if defined(__x86_64__)
    SYS_fork, SYS_vfork,
#endif
};

/// Commands of fcntl(2). F_SETOWN and F_SETSIG are not here, because they send signals to other processes.
static const uint32_t descriptor_commands[] = {
    F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK,
    F_OFD_SETLK, F_OFD_SETLKW,
};

/// Requests of ioctl(2). TIOCSTI, which types into a terminal, and FIOSETOWN are not here.
static const uint32_t device_requests[] = {FIONBIO, FIONREAD, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ};

/// Options of prctl(2): names of threads and of memory areas, and the flag that `clinux_is_dumpable` reads.
static const uint32_t process_options[] = {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, 0x53564d41 /* PR_SET_VMA */};

/// Options of prctl(2) with which a started program confines itself.
static const uint32_t starting_options[] = {PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, PR_SET_DUMPABLE};

/// The highest system call number of Linux 5.17. Higher numbers get ENOSYS, because a libc tries a new call first
/// and falls back to an older one. Older calls get EPERM: a libc does not need them, or accepts their failure.
/// ENOSYS also answers the x32 system calls of x86-64.
static const int newest_known = 450;

enum { capacity = 1024 };

struct program {
  struct sock_filter steps[capacity];
  unsigned short count;
};

static void add(struct program *program, struct sock_filter step) {
  if (program->count < capacity) program->steps[program->count++] = step;
}

static void load(struct program *program, size_t offset) {
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/// Loads the lower half of an argument, on little-endian processors. The checked arguments have 32 bits.
static void load_argument(struct program *program, int number) {
  load(program, offsetof(struct seccomp_data, args) + (size_t)number * sizeof(uint64_t));
}

static void end(struct program *program, uint32_t result) {
  add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

/// Continues with the next instruction if the loaded value is equal, otherwise skips `steps` instructions.
static void when_equal(struct program *program, uint32_t value, unsigned char steps) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, steps));
}

static const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
static const uint32_t unknown = SECCOMP_RET_ERRNO | ENOSYS;

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void allow(struct program *program, const int *calls, size_t count) {
  for (size_t index = 0; index < count; index++) {
    when_equal(program, (uint32_t)calls[index], 1);
    end(program, SECCOMP_RET_ALLOW);
  }
}

/// Allows a call if an argument has one of these values, at most 100. Otherwise the call gets `otherwise`.
static void allow_with(struct program *program, int call, int argument, const uint32_t *values, size_t count,
                       uint32_t otherwise) {
  when_equal(program, (uint32_t)call, (unsigned char)(2 + 2 * count));
  load_argument(program, argument);
  for (size_t index = 0; index < count; index++) {
    when_equal(program, values[index], 1);
    end(program, SECCOMP_RET_ALLOW);
  }
  end(program, otherwise);
}

/// Allows only pairs of connected streams, which libcurl creates. A pair of datagram sockets could be connected to
/// a socket of another process.
static void limit_pairs(struct program *program) {
  when_equal(program, SYS_socketpair, 5);
  load_argument(program, 1);
  add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK)));
  when_equal(program, SOCK_STREAM, 1);
  end(program, SECCOMP_RET_ALLOW);
  end(program, refused);
}

/// Allows new threads, forbids new namespaces, and allows new processes only with `starts_programs`.
static void limit_clone(struct program *program, int starts_programs) {
  const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                              CLONE_NEWPID | CLONE_NEWNET;
  when_equal(program, SYS_clone, 5);
  load_argument(program, 0);
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, namespaces, 2, 0));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, starts_programs ? ~0U : CLONE_THREAD, 0, 1));
  end(program, SECCOMP_RET_ALLOW);
  end(program, refused);
  // The flags of clone3 are in memory, which a filter cannot read. On ENOSYS, libc falls back to clone.
  when_equal(program, SYS_clone3, 1);
  end(program, unknown);
}

int clinux_allow_calls(const uint32_t *families, size_t count, uint32_t groups) {
  const int starts_programs = (groups & clinux_starts_programs) != 0;
  const uint32_t self = (uint32_t)getpid(), caller = 0;
  struct program program = {.count = 0};
  if (count > 100) {
    errno = E2BIG;
    return -1;
  }
  load(&program, offsetof(struct seccomp_data, arch));
  when_equal(&program, NATIVE, 1);
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  end(&program, SECCOMP_RET_KILL_PROCESS);
  load(&program, offsetof(struct seccomp_data, nr));
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)newest_known, 0, 1));
  end(&program, unknown);
  allow(&program, common, COUNT(common));
  if (groups & (clinux_removes_files | clinux_keeps_files)) allow(&program, removal, COUNT(removal));
  if (groups & clinux_keeps_files) allow(&program, storage, COUNT(storage));
  if (starts_programs) allow(&program, starting, COUNT(starting));
  allow_with(&program, SYS_socket, 0, families, count, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  allow_with(&program, SYS_fcntl, 1, descriptor_commands, COUNT(descriptor_commands), refused);
  allow_with(&program, SYS_ioctl, 1, device_requests, COUNT(device_requests), refused);
  uint32_t options[COUNT(process_options) + COUNT(starting_options)];
  memcpy(options, process_options, sizeof process_options);
  memcpy(options + COUNT(process_options), starting_options, sizeof starting_options);
  allow_with(&program, SYS_prctl, 0, options, starts_programs ? COUNT(options) : COUNT(process_options), refused);
  // A program may read and lower its own limits. Process 0 is the caller.
  allow_with(&program, SYS_prlimit64, 0, &caller, 1, refused);
  if (!starts_programs) {
    allow_with(&program, SYS_kill, 0, &self, 1, refused);
    allow_with(&program, SYS_tgkill, 0, &self, 1, refused);
  }
  limit_pairs(&program);
  limit_clone(&program, starts_programs);
  end(&program, refused);
  if (program.count == capacity) {
    errno = E2BIG;
    return -1;
  }
  struct sock_fprog filter = {program.count, program.steps};
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

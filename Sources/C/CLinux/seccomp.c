#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "the system call numbers of this processor are unknown"
#endif

/// System calls that no program of this project needs. The filter always refuses them, so that an attacker
/// with control of a program cannot use them.
static const int never[] = {
    // Memory and descriptors of other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_pidfd_getfd, SYS_kcmp,
    SYS_perf_event_open, SYS_bpf, SYS_userfaultfd, SYS_migrate_pages, SYS_move_pages,
    // io_uring: seccomp does not see the operations that it submits.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    // Kernel keyrings.
    SYS_add_key, SYS_request_key, SYS_keyctl,
    // Mounts and namespaces.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount, SYS_open_tree, SYS_mount_setattr, SYS_fsopen,
    SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_setns, SYS_unshare, SYS_open_by_handle_at, SYS_fanotify_init,
    // Changes of the user and group ids.
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid, SYS_setfsgid,
    SYS_setgroups, SYS_capset,
    // Administration of the machine. clock_adjtime is not listed: it also reads the clock, which needs no
    // privilege.
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_acct, SYS_syslog, SYS_quotactl, SYS_settimeofday, SYS_clock_settime, SYS_sethostname, SYS_setdomainname,
    SYS_personality, SYS_mknodat,
#if defined(__x86_64__)
    SYS_mknod, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_kexec_file_load,
#endif
};

/// System calls for starting or signalling other processes; refused unless `starts_programs` is set.
static const int alone[] = {
    SYS_execve, SYS_execveat, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal,
#if defined(__x86_64__)
    SYS_fork, SYS_vfork,
#endif
};

/// The highest system call number of Linux 5.17. Higher numbers get ENOSYS, so that libc falls back to older
/// calls. Their refusal also covers the x32 system calls of x86-64.
static const int newest_known = 450;

enum { capacity = 512 };

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

static void forbid(struct program *program, int call) {
  when_equal(program, (uint32_t)call, 1);
  end(program, refused);
}

/// Allows a call only if an argument has this value.
static void only_with(struct program *program, int call, int argument, uint32_t value) {
  when_equal(program, (uint32_t)call, 4);
  load_argument(program, argument);
  when_equal(program, value, 1);
  end(program, SECCOMP_RET_ALLOW);
  end(program, refused);
}

static void only_families(struct program *program, int call, const int32_t *families, size_t count) {
  when_equal(program, (uint32_t)call, (unsigned char)(2 + 2 * count));
  load_argument(program, 0);
  for (size_t index = 0; index < count; index++) {
    when_equal(program, (uint32_t)families[index], 1);
    end(program, SECCOMP_RET_ALLOW);
  }
  end(program, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
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

int clinux_forbid_calls(const int32_t *families, size_t count, int starts_programs) {
  struct program program = {.count = 0};
  load(&program, offsetof(struct seccomp_data, arch));
  when_equal(&program, NATIVE, 1);
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  end(&program, SECCOMP_RET_KILL_PROCESS);
  load(&program, offsetof(struct seccomp_data, nr));
  add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)newest_known, 0, 1));
  end(&program, unknown);
  for (size_t index = 0; index < sizeof never / sizeof *never; index++) forbid(&program, never[index]);
  only_families(&program, SYS_socket, families, count);
  // TIOCSTI inserts input into a terminal as if the user had typed it.
  when_equal(&program, SYS_ioctl, 4);
  load_argument(&program, 1);
  when_equal(&program, TIOCSTI, 1);
  end(&program, refused);
  end(&program, SECCOMP_RET_ALLOW);
  if (!starts_programs) {
    for (size_t index = 0; index < sizeof alone / sizeof *alone; index++) forbid(&program, alone[index]);
    only_with(&program, SYS_kill, 0, (uint32_t)getpid());
    only_with(&program, SYS_tgkill, 0, (uint32_t)getpid());
  }
  limit_clone(&program, starts_programs);
  end(&program, SECCOMP_RET_ALLOW);
  if (program.count == capacity || count > 100) {
    errno = E2BIG;
    return -1;
  }
  struct sock_fprog filter = {program.count, program.steps};
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
}

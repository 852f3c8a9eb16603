// _GNU_SOURCE is defined in source files only: in a header it would change the imports of other C modules.
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <grp.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/xattr.h>
#include <unistd.h>

int clinux_peer_credentials(int descriptor, struct clinux_peer *peer) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
  peer->process = credentials.pid;
  peer->user = credentials.uid;
  peer->group = credentials.gid;
  return 0;
}

int clinux_accept(int listener) { return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_memory_file(void) { return memfd_create("mfad", MFD_CLOEXEC); }

int clinux_lock_when_touched(const void *pages, size_t count) {
  if (mlock2(pages, count, MLOCK_ONFAULT) == 0) return 0;
  // The kernel may lack mlock2. If mlock2 failed for another reason, mlock fails too and sets errno.
  return mlock(pages, count);
}

int clinux_forbid_dumps(void) {
  struct rlimit none = {0, 0};
  int limited = setrlimit(RLIMIT_CORE, &none);
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? limited : -1;
}

void clinux_die_silently(void) {
  static const int crashes[] = {SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGABRT, SIGQUIT};
  for (unsigned i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
}

int clinux_allow_descriptors(int count) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  if (limit.rlim_cur >= (rlim_t)count) return count;
  limit.rlim_cur = limit.rlim_max < (rlim_t)count ? limit.rlim_max : (rlim_t)count;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? (int)limit.rlim_cur : -1;
}

void clinux_give_back_blocks_of(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

void clinux_give_back_what_is_free(void) { malloc_trim(0); }

int clinux_forbid_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int clinux_spawn_closing_from(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int clinux_signal_on_parent_death(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

int clinux_has_access_list(const char *path) {
  if (lgetxattr(path, "system.posix_acl_access", 0, 0) >= 0) return 1;
  return errno == ENODATA || errno == EOPNOTSUPP ? 0 : -1;
}

int clinux_clock_synchronized(void) {
  struct timex state = {0};
  int result = adjtimex(&state);
  if (result < 0) return -1;
  return result != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

int clinux_become(uint32_t user, uint32_t group, int may_return) {
  if (setgroups(0, NULL) != 0 || setresgid(group, group, may_return ? 0 : group) != 0) return -1;
  return setresuid(user, user, may_return ? 0 : user);
}

int clinux_return_to_root(void) { return setresuid(0, 0, 0) == 0 ? setresgid(0, 0, 0) : -1; }

int clinux_may_return_to_root(void) {
  uid_t real, effective, saved;
  return getresuid(&real, &effective, &saved) == 0 && effective != 0 && saved == 0;
}

// systemd/stamp searches a program for this text and changes the date. In C, so that the optimizer of the Swift
// code cannot rely on the present date.
static char commit_date[] = "commit of 0000-00-00";

const char *clinux_commit_date(void) { return commit_date + sizeof "commit of " - 1; }

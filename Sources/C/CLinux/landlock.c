#define _GNU_SOURCE
#include "confinement.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// `struct landlock_ruleset_attr` of ABI version 6. Older kernels accept it if all fields that they do
/// not know are 0.
struct ruleset {
  uint64_t files;
  uint64_t ports;
  uint64_t scopes;
};

/// The rights that apply to a file: execute, write, read, truncate, ioctl.
static const uint64_t of_a_file = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15;

int clinux_landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

int clinux_landlock_begin(uint64_t files, uint64_t scopes) {
  struct ruleset ruleset = {files, 0, scopes};
  return (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0);
}

int clinux_landlock_allow(int rules, const char *path, uint64_t rights) {
  struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
  struct stat status;
  if (rule.parent_fd < 0) return -1;
  rule.allowed_access = rights;
  int result = fstat(rule.parent_fd, &status);
  if (result == 0 && !S_ISDIR(status.st_mode)) rule.allowed_access &= of_a_file;
  if (result == 0) result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(rule.parent_fd);
  return result;
}

int clinux_landlock_enforce(int rules) { return (int)syscall(SYS_landlock_restrict_self, rules, 0); }

int clinux_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1; }

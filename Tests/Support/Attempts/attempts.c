#define _GNU_SOURCE
#include "attempts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int outcome(long result) { return result < 0 ? errno : 0; }

int attempt_open(const char *path, int32_t flags) {
  int descriptor = open(path, flags | O_CLOEXEC, 0600);
  int code = outcome(descriptor);
  if (descriptor >= 0) close(descriptor);
  return code;
}

int attempt_list(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL) return errno;
  closedir(directory);
  return 0;
}

int attempt_socket(int32_t family, int32_t type) {
  int descriptor = socket(family, type | SOCK_CLOEXEC, 0);
  int code = outcome(descriptor);
  if (descriptor >= 0) close(descriptor);
  return code;
}

static void *nothing(void *argument) { return argument; }

int attempt_thread(void) {
  pthread_t thread;
  int code = pthread_create(&thread, NULL, nothing, NULL);
  if (code == 0) pthread_join(thread, NULL);
  return code;
}

int attempt_program(const char *path) {
  pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) {
    char *arguments[] = {(char *)path, "--version", NULL};
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    execv(path, arguments);
    _exit(errno);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

int attempt_signal_to_child(void) {
  pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) {
    for (;;) pause();
  }
  int code = outcome(kill(child, SIGKILL));
  waitpid(child, NULL, code == 0 ? 0 : WNOHANG);
  return code;
}

int attempt_signal(int32_t process) { return outcome(kill(process, 0)); }

int attempt_trace(int32_t process) { return outcome(ptrace(PTRACE_SEIZE, process, NULL, NULL)); }

int attempt_memory(int32_t process) { return outcome(process_vm_readv(process, NULL, 0, NULL, 0, 0)); }

int attempt_descriptor(int32_t process) {
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  return descriptor < 0 ? errno : outcome(syscall(SYS_pidfd_getfd, descriptor, 0, 0));
}

int attempt_namespace(void) { return outcome(unshare(CLONE_NEWUSER)); }

int attempt_io_uring(void) {
  char parameters[256] = {0};
  return outcome(syscall(SYS_io_uring_setup, 1, parameters));
}

int attempt_keyring(void) { return outcome(syscall(SYS_keyctl, 0, -3, 0)); }

int attempt_terminal_input(void) { return outcome(ioctl(STDIN_FILENO, TIOCSTI, "x")); }

int attempt_newer_call(void) { return outcome(syscall(451, 0, 0, 0, 0)); }

int attempt_abstract(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  int code = outcome(connect(descriptor, (struct sockaddr *)&address, length));
  close(descriptor);
  return code;
}

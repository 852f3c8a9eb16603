// Attempts of an attacker in control of a process. Each function returns 0 on success, else the error number.
#pragma once

#include <stdint.h>

int attempt_open(const char *path, int32_t flags);
int attempt_list(const char *path);
int attempt_socket(int32_t family, int32_t type);
int attempt_thread(void);
/// Starts a program without arguments and waits for its end.
int attempt_program(const char *path);
/// Starts a copy of the process and signals it.
int attempt_signal_to_child(void);
int attempt_signal(int32_t process);
int attempt_trace(int32_t process);
int attempt_memory(int32_t process);
int attempt_descriptor(int32_t process);
int attempt_namespace(void);
int attempt_io_uring(void);
int attempt_keyring(void);
int attempt_terminal_input(void);
/// Makes a system call that is newer than the known ones.
int attempt_newer_call(void);
/// Connects to an abstract Unix socket.
int attempt_abstract(const char *name);

/// Number of the further calls that an attacker could make.
int attempt_calls(void);
const char *attempt_name(int index);
/// Makes one of these calls with a file, its descriptor and another process.
int attempt_call(int index, const char *path, int file, int32_t process);

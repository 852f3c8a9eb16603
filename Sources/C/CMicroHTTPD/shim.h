// libmicrohttpd functions that Swift cannot import: variadic ones, and flags that are passed as plain
// numbers.
#pragma once

#include <microhttpd.h>
#include <netinet/in.h>

typedef void *(*cmicrohttpd_begin)(void *context, const char *target, struct MHD_Connection *connection);

/// Starts a server without a thread of its own: the caller watches the library's epoll descriptor.
/// (MHD_start_daemon is variadic.)
static inline struct MHD_Daemon *cmicrohttpd_start(
    const struct sockaddr_in *address, unsigned int connection_limit, unsigned int idle_seconds,
    size_t connection_memory, MHD_NotifyConnectionCallback connection_changed, cmicrohttpd_begin begin,
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback completed, void *context) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, context,
      MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)address,
      MHD_OPTION_NOTIFY_CONNECTION, connection_changed, context,
      MHD_OPTION_URI_LOG_CALLBACK, begin, context,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_CONNECTION_LIMIT, connection_limit,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
      MHD_OPTION_END);
}

/// Returns the epoll descriptor to watch, or -1. (MHD_get_daemon_info is variadic.)
static inline int cmicrohttpd_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// Returns the bound port, or 0. (MHD_get_daemon_info is variadic.)
static inline uint16_t cmicrohttpd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

/// Returns the socket of a connection, or -1. (MHD_get_connection_info is variadic.)
static inline int cmicrohttpd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Serves at a path on one thread, and closes a client if it gets no reply. Returns an exit code only on
// failure.

static int is_written(int descriptor, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t part = write(descriptor, bytes, count);
    if (part <= 0) return 0;
    bytes += part, count -= part;
  }
  return 1;
}

static int serve(const char *path, int (*is_answered)(int client)) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct epoll_event event = {.events = EPOLLIN}, events[64];
  if (strlen(path) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, path);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), poll = epoll_create1(0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 64) != 0) return 1;
  event.data.fd = listener;
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int ready = epoll_wait(poll, events, 64, -1);
    for (int index = 0; index < ready; index++) {
      int client = events[index].data.fd;
      if (client == listener) {
        event.data.fd = accept(listener, NULL, NULL);
        epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event);
      } else if (!is_answered(client)) {
        close(client);
      }
    }
  }
}

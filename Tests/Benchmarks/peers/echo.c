// The least that a server of lines on one thread can do: each line comes back. usage: echo SOCKET
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  static char bytes[1 << 16];
  struct epoll_event event = {.events = EPOLLIN}, events[64];
  if (count != 2 || strlen(arguments[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, arguments[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), poll = epoll_create1(0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 64) != 0) return 1;
  event.data.fd = listener;
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int ready = epoll_wait(poll, events, 64, -1);
    for (int index = 0; index < ready; index++) {
      int socket = events[index].data.fd;
      if (socket == listener) {
        event.data.fd = accept(listener, NULL, NULL);
        epoll_ctl(poll, EPOLL_CTL_ADD, event.data.fd, &event);
        continue;
      }
      ssize_t length = read(socket, bytes, sizeof bytes);
      if (length <= 0) close(socket);
      for (ssize_t sent = 0; sent < length;) {
        ssize_t part = write(socket, bytes + sent, length - sent);
        if (part <= 0) break;
        sent += part;
      }
    }
  }
}

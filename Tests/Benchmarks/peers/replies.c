// The least that a server on one thread does for an answer: a reply that it has ready for each line, once so many pages are
// on the disk. usage: replies SOCKET REPLY [FILE PAGES]
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { page = 4096, room = 1024 * page };

static char reply[4096], pages[64 * page], in[1 << 16], out[1 << 20];
static size_t length, stored;

static int is_written(int descriptor, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t part = write(descriptor, bytes, count);
    if (part <= 0) return 0;
    bytes += part, count -= part;
  }
  return 1;
}

// Over what is there already, as a log that is written from its beginning again.
static int is_stored(int file) {
  static off_t position;
  if (position + stored > room) position = 0;
  if (pwrite(file, pages, stored, position) != (ssize_t)stored) return 0;
  position += stored;
  return fdatasync(file) == 0;
}

static int is_answered(int client, int file) {
  ssize_t count = read(client, in, sizeof in);
  size_t ready = 0;
  if (count <= 0 || (stored && !is_stored(file))) return 0;
  for (const char *end = in; (end = memchr(end, '\n', in + count - end)); end++) {
    if (ready + length > sizeof out) {
      if (!is_written(client, out, ready)) return 0;
      ready = 0;
    }
    memcpy(out + ready, reply, length);
    ready += length;
  }
  return is_written(client, out, ready);
}

int main(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct epoll_event event = {.events = EPOLLIN}, events[64];
  int file = -1;
  if ((count != 3 && count != 5) || strlen(arguments[1]) >= sizeof address.sun_path) return 2;
  if ((length = strlen(arguments[2]) + 1) > sizeof reply) return 2;
  strcpy(address.sun_path, arguments[1]);
  memcpy(reply, arguments[2], length);
  reply[length - 1] = '\n';
  if (count == 5) {
    if ((stored = page * strtoul(arguments[4], NULL, 10)) > sizeof pages) return 2;
    file = open(arguments[3], O_RDWR | O_CREAT, 0600);
    for (int block = 0; block < room / (int)sizeof pages; block++)
      if (!is_written(file, pages, sizeof pages)) return 1;
    if (fsync(file) != 0) return 1;
  }
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
      } else if (!is_answered(socket, file)) {
        close(socket);
      }
    }
  }
}

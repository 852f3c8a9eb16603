// A minimal single-threaded server: it returns each line. usage: echo SOCKET
#include "server.h"

static int is_answered(int client) {
  static char bytes[1 << 16];
  ssize_t length = read(client, bytes, sizeof bytes);
  return length > 0 && is_written(client, bytes, length);
}

int main(int count, char **arguments) { return count == 2 ? serve(arguments[1], is_answered) : 2; }

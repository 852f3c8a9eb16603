// Checks a signature with a kept key: signature KEY.pem SIGNED SIGNATURE. Links with -lcrypto.
#include <openssl/pem.h>
#include "signature.h"

static size_t read_all(const char *path, unsigned char *room, size_t size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  size_t count = fread(room, 1, size, file);
  fclose(file);
  return count;
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  FILE *file = fopen(arguments[1], "r");
  if (!file || !(key = PEM_read_PUBKEY(file, NULL, NULL, NULL))) return 1;
  content_length = read_all(arguments[2], content, sizeof content);
  signature_length = read_all(arguments[3], signature, sizeof signature);
  measure(check);
}

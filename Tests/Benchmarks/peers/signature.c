// A signature checked with a key that is kept: signature KEY.pem SIGNED SIGNATURE. Links with -lcrypto.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include "stopwatch.h"

static EVP_PKEY *key;
static unsigned char content[65536], signature[1024];
static size_t content_length, signature_length;

static size_t read_all(const char *path, unsigned char *room, size_t size) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  size_t count = fread(room, 1, size, file);
  fclose(file);
  return count;
}

static void check(void) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) != 1) exit(1);
  if (EVP_DigestVerify(context, signature, signature_length, content, content_length) != 1) exit(1);
  EVP_MD_CTX_free(context);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  FILE *file = fopen(arguments[1], "r");
  if (!file || !(key = PEM_read_PUBKEY(file, NULL, NULL, NULL))) return 1;
  content_length = read_all(arguments[2], content, sizeof content);
  signature_length = read_all(arguments[3], signature, sizeof signature);
  measure(check);
}

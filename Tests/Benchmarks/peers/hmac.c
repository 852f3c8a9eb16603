// The HMAC of a passcode by OpenSSL, with a kept key, or with a key that is set and cleared each time: hmac
// [given]. Links with -lcrypto.
#include <openssl/evp.h>
#include <openssl/params.h>
#include <string.h>
#include "stopwatch.h"

static const unsigned char secret[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
static EVP_MAC_CTX *context;

static void compute(const unsigned char *key, size_t length) {
  static unsigned char step[8], digest[20];
  step[7]++;
  if (EVP_MAC_init(context, key, length, NULL) != 1 || EVP_MAC_update(context, step, sizeof step) != 1) exit(1);
  if (EVP_MAC_final(context, digest, &length, sizeof digest) != 1) exit(1);
}

static void kept(void) { compute(NULL, 0); }

static void given(void) {
  static const unsigned char none[1];
  compute(secret, sizeof secret);
  if (EVP_MAC_init(context, none, sizeof none, NULL) != 1) exit(1);
}

int main(int count, char **arguments) {
  OSSL_PARAM settings[] = {OSSL_PARAM_construct_utf8_string("digest", "SHA1", 0), OSSL_PARAM_construct_end()};
  EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  context = EVP_MAC_CTX_new(mac);
  if (!context || EVP_MAC_init(context, secret, sizeof secret, settings) != 1) return 1;
  measure(count == 2 && strcmp(arguments[1], "given") == 0 ? given : kept);
}

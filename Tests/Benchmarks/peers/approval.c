// The P-256 operations of an approval on both sides, as specified for its two calls, their responses and the
// push: generated keys, agreements, signatures and checks. Links with -lcrypto.
#include <openssl/ec.h>
#include "signature.h"

enum { keys = 7, agreements = 10, signatures = 10, checks = 11 };

static EVP_PKEY *other;

static void agree(void) {
  unsigned char secret[32];
  size_t length = sizeof secret;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
  if (!context || EVP_PKEY_derive_init(context) != 1) exit(1);
  // Keys are validated when they are read, not again for each agreement.
  if (EVP_PKEY_derive_set_peer_ex(context, other, 0) != 1 || EVP_PKEY_derive(context, secret, &length) != 1) exit(1);
  EVP_PKEY_CTX_free(context);
}

static void sign(void) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  signature_length = sizeof signature;
  if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) != 1) exit(1);
  if (EVP_DigestSign(context, signature, &signature_length, content, content_length) != 1) exit(1);
  EVP_MD_CTX_free(context);
}

static void approve(void) {
  for (int count = 0; count < keys; count++) EVP_PKEY_free(EVP_EC_gen("P-256"));
  for (int count = 0; count < agreements; count++) agree();
  for (int count = 0; count < signatures; count++) sign();
  for (int count = 0; count < checks; count++) check();
}

int main(void) {
  key = EVP_EC_gen("P-256");
  other = EVP_EC_gen("P-256");
  if (!key || !other) return 1;
  content_length = 1000;
  measure(approve);
}

#include <openssl/evp.h>
#include "stopwatch.h"

// A signature, its key and the signed content.

static EVP_PKEY *key;
static unsigned char content[65536], signature[1024];
static size_t content_length, signature_length;

static void check(void) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) != 1) exit(1);
  if (EVP_DigestVerify(context, signature, signature_length, content, content_length) != 1) exit(1);
  EVP_MD_CTX_free(context);
}

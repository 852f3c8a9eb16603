#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// Hides the functions that OpenSSL 3.0 deprecates: the compiler rejects RSA_*, EC_KEY_* and HMAC_*.
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED 1

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/// EVP_PKEY_PUBLIC_KEY is an expression of other macros; Swift cannot import it.
static inline int copenssl_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }

/// EVP_PKEY_KEYPAIR is an expression of other macros; Swift cannot import it.
static inline int copenssl_key_pair(void) { return EVP_PKEY_KEYPAIR; }

#endif

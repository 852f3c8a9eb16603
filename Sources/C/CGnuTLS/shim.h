// Hashes of GnuTLS, which libmicrohttpd loads anyway.
#pragma once

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

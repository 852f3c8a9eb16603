// Hash functions of GnuTLS, which libmicrohttpd loads in any case.
#pragma once

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

// A minimal start until READY: load the libraries, fetch their algorithms, open and read a database. usage:
// NOTIFY_SOCKET=… start DATABASE. Links with -lsqlite3 -lcrypto.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *ready = "READY=1\nSTATUS=serving", *path = getenv("NOTIFY_SOCKET");
  sqlite3 *database;
  if (count != 2 || !path || strlen(path) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, path);
  if (sqlite3_open(arguments[1], &database) != SQLITE_OK) return 1;
  if (sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA user_version", NULL, NULL, NULL) != SQLITE_OK) return 1;
  if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS, NULL) != 1) return 1;
  if (!EVP_MD_fetch(NULL, "SHA256", NULL) || !EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL)) return 1;
  if (!EVP_MAC_fetch(NULL, "HMAC", NULL)) return 1;
  int notify = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (sendto(notify, ready, strlen(ready), 0, (struct sockaddr *)&address, sizeof address) < 0) return 1;
  pause();
}

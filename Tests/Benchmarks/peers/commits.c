// A single-threaded server that sends a prepared reply to each line, after SQLite has committed PAGES pages
// with the daemon's settings. usage: commits SOCKET REPLY DATABASE PAGES. Links with -lsqlite3.
#include <sqlite3.h>
#include "replies.h"

static sqlite3_stmt *begin, *change, *commit;
static int pages;

static int is_done(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE;
}

static int is_committed(void) {
  if (!is_done(begin)) return 0;
  for (int page = 1; page <= pages; page++) {
    sqlite3_bind_int(change, 1, page);
    if (!is_done(change)) return 0;
  }
  return is_done(commit);
}

static int is_answered(int client) { return is_replied(client, is_committed); }

int main(int count, char **arguments) {
  sqlite3 *database;
  if (count != 5 || !is_ready(arguments[2]) || sqlite3_open(arguments[3], &database) != SQLITE_OK) return 2;
  pages = atoi(arguments[4]);
  // A row fills more than half of a page, so that each row has its own page.
  const char *made =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;"
      "CREATE TABLE IF NOT EXISTS page (id INTEGER PRIMARY KEY, changes INTEGER, filling BLOB);"
      "WITH RECURSIVE number(id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM number WHERE id < 64) "
      "INSERT OR IGNORE INTO page SELECT id, 0, zeroblob(3000) FROM number";
  if (sqlite3_exec(database, made, NULL, NULL, NULL) != SQLITE_OK) return 1;
  sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL);
  sqlite3_prepare_v2(database, "UPDATE page SET changes = changes + 1 WHERE id = ?", -1, &change, NULL);
  sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL);
  return serve(arguments[1], is_answered);
}

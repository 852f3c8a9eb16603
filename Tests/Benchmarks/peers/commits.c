// Commits by SQLite of so many pages each, one after the other, with what the daemon sets; prints how many a second.
// usage: commits DATABASE PAGES COUNT. Links with -lsqlite3.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void run(sqlite3 *database, const char *text) {
  if (sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK) exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
  sqlite3 *database;
  sqlite3_stmt *begin, *change, *commit;
  if (count != 4 || sqlite3_open(arguments[1], &database) != SQLITE_OK) return 2;
  int pages = atoi(arguments[2]), commits = atoi(arguments[3]);
  run(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
  // A row fills more than half of a page, so that each has one of its own.
  run(database, "CREATE TABLE IF NOT EXISTS page (id INTEGER PRIMARY KEY, changes INTEGER, filling BLOB)");
  run(database, "WITH RECURSIVE number(id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM number WHERE id < 64) "
                "INSERT OR IGNORE INTO page SELECT id, 0, zeroblob(3000) FROM number");
  sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL);
  sqlite3_prepare_v2(database, "UPDATE page SET changes = changes + 1 WHERE id = ?", -1, &change, NULL);
  sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL);
  double start = now();
  for (int number = 0; number < commits; number++) {
    sqlite3_step(begin), sqlite3_reset(begin);
    for (int page = 1; page <= pages; page++) {
      sqlite3_bind_int(change, 1, page);
      sqlite3_step(change), sqlite3_reset(change);
    }
    if (sqlite3_step(commit) != SQLITE_DONE) return 1;
    sqlite3_reset(commit);
  }
  printf("%f\n", commits / (now() - start));
}

// SQLite's `unixepoch` with a clock of the test.
import type { DatabaseSync } from "node:sqlite";

/** Lets a database tell the time of `now` (epoch milliseconds). Instants that it is given in texts are read as they are. */
export function setClock(db: DatabaseSync, now: () => number, deterministic = false): void {
  db.function("unixepoch", { varargs: true, deterministic }, (value) => {
    if (value === null) return null;
    return (value === undefined || value === "subsec" ? now() : Date.parse(String(value))) / 1000;
  });
}

// `better-sqlite3` as the personal data server uses it, over Node's own SQLite: nothing is compiled.
import { DatabaseSync } from "node:sqlite";

export default class Database {
  #db;

  constructor(location, { timeout } = {}) {
    this.#db = new DatabaseSync(location, { timeout });
  }

  prepare(sql) {
    const statement = this.#db.prepare(sql);
    return {
      reader: statement.columns().length > 0,
      all: (parameters = []) => statement.all(...parameters.map(bound)).map(row),
      run: (parameters = []) => statement.run(...parameters.map(bound)),
      *iterate(parameters = []) {
        for (const one of statement.iterate(...parameters.map(bound))) yield row(one);
      },
    };
  }

  pragma(text) {
    this.#db.exec(`PRAGMA ${text}`);
  }

  close() {
    this.#db.close();
  }
}

const bound = (value) => (typeof value === "boolean" ? Number(value) : value === undefined ? null : value);

// Node gives bytes as a Uint8Array, the other as a Buffer.
function row(one) {
  return Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
  );
}

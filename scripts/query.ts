// The interface to a database for scripts: one statement at a time.
export type Row = Record<string, unknown>;
/** Runs one statement. All parameters are texts, which SQLite converts for numeric columns. */
export type Query = (sql: string, ...params: string[]) => Promise<Row[]>;

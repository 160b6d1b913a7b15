// The interface to a database for scripts: one statement at a time.
type Row = Record<string, unknown>;
/** Runs one statement. Numeric columns convert the text parameters. */
export type Query = (sql: string, ...params: string[]) => Promise<Row[]>;

// A database as scripts reach it: one statement at a time.
type Row = Record<string, unknown>;
/** Carries out one statement. The columns make numbers of the texts. */
export type Query = (sql: string, ...params: string[]) => Promise<Row[]>;

// Batches: statements that share one round trip and one transaction. Statements and their results have names.
import type { BatchItem } from "drizzle-orm/batch";
import type { Database } from "./db.ts";

type Statement = BatchItem<"sqlite">;
/** Statements by name, in the order of their execution; one name may have several. */
export type Named<One extends Statement = Statement> = Record<string, One | readonly One[]>;
type ResultOf<One> = One extends Statement
  ? One["_"]["result"]
  : One extends readonly Statement[]
    ? { -readonly [Index in keyof One]: ResultOf<One[Index]> }
    : never;
/** The results of a batch, by the names of its statements. */
export type Results<All extends Named> = { -readonly [Name in keyof All]: ResultOf<All[Name]> };

const isGroup = <One extends Statement>(entry: One | readonly One[]): entry is readonly One[] => Array.isArray(entry);

/** The statements of a batch in order. Throws if it is empty. */
function inOrder<One extends Statement>(namedStatements: Named<One>): [One, ...One[]] {
  const [first, ...otherStatements] = Object.values(namedStatements).flatMap((entry) =>
    isGroup(entry) ? [...entry] : [entry],
  );
  if (first === undefined) throw new Error("a batch has no statements");
  return [first, ...otherStatements];
}

/** The results of the statements that `inOrder` returned, by name. */
function readResults<All extends Named>(namedStatements: All, answers: readonly unknown[]): Results<All> {
  let offset = 0;
  const results = Object.fromEntries(
    Object.entries(namedStatements).map(([name, entry]): [string, unknown] => [
      name,
      isGroup(entry) ? entry.map(() => answers[offset++]) : answers[offset++],
    ]),
  );
  if (!areResults(namedStatements, results) || offset !== answers.length)
    throw new Error("the answers of a batch are not those of its statements");
  return results;
}

function areResults<All extends Named>(
  namedStatements: All,
  results: Record<string, unknown>,
): results is Results<All> & Record<string, unknown> {
  return Object.keys(namedStatements).every((name) => results[name] !== undefined);
}

/** Runs statements as one transaction. */
export async function batch<const All extends Named>(db: Database, namedStatements: All): Promise<Results<All>> {
  return readResults(namedStatements, await db.batch(inOrder(namedStatements)));
}

/** Statements that may run together with others, and the value that their results give. */
export interface Statements<Value> {
  statements: readonly [Statement, ...Statement[]];
  /** `answers`: the results of `statements`, in order. */
  resultOf(answers: readonly unknown[]): Value;
}

/** Combines named statements with the function that reads a value from their results. */
export function toStatements<const All extends Named, Value>(
  namedStatements: All,
  resultOf: (results: Results<All>) => Value,
): Statements<Value> {
  return {
    statements: inOrder(namedStatements),
    resultOf: (answers) => resultOf(readResults(namedStatements, answers)),
  };
}

/** The same statements, with their value converted by `then`. */
export function mapStatements<Value, Next>(query: Statements<Value>, then: (value: Value) => Next): Statements<Next> {
  return { statements: query.statements, resultOf: (answers) => then(query.resultOf(answers)) };
}

/** Combines the statements of two queries, those of `first` before those of `second`. */
export function joinStatements<First, Second>(first: Statements<First>, second: Statements<Second>) {
  const count = first.statements.length;
  const query: Statements<[First, Second]> = {
    statements: [...first.statements, ...second.statements],
    resultOf: (answers) => [first.resultOf(answers.slice(0, count)), second.resultOf(answers.slice(count))],
  };
  return query;
}

/** Runs the statements in one round trip. */
export async function ask<Value>(db: Database, query: Statements<Value>): Promise<Value> {
  return query.resultOf(await db.batch(query.statements));
}

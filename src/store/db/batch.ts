// Statements that belong together are one round trip, and one transaction. They have names, and so have their results.
import type { BatchItem } from "drizzle-orm/batch";
import type { Database } from "./db.ts";

type Statement = BatchItem<"sqlite">;
/** Statements by name, in the order in which they are carried out; under one name there may be several. */
export type Named<One extends Statement = Statement> = Record<string, One | readonly One[]>;
type ResultOf<One> = One extends Statement
  ? One["_"]["result"]
  : One extends readonly Statement[]
    ? { -readonly [Place in keyof One]: ResultOf<One[Place]> }
    : never;
/** What the statements of a batch found, under their names. */
export type Results<All extends Named> = { -readonly [Name in keyof All]: ResultOf<All[Name]> };

const isGroup = <One extends Statement>(named: One | readonly One[]): named is readonly One[] => Array.isArray(named);

/** The statements of a batch in their order. Throws when there are none. */
export function inOrder<One extends Statement>(named: Named<One>): [One, ...One[]] {
  const [first, ...rest] = Object.values(named).flatMap((one) => (isGroup(one) ? [...one] : [one]));
  if (first === undefined) throw new Error("a batch has no statements");
  return [first, ...rest];
}

/** The answers to `inOrder(named)` under their names. */
export function resultsOf<All extends Named>(named: All, answers: readonly unknown[]): Results<All> {
  let place = 0;
  const results = Object.fromEntries(
    Object.entries(named).map(([name, one]): [string, unknown] => [
      name,
      isGroup(one) ? one.map(() => answers[place++]) : answers[place++],
    ]),
  );
  if (!areResults(named, results) || place !== answers.length)
    throw new Error("the answers of a batch are not those of its statements");
  return results;
}

function areResults<All extends Named>(
  named: All,
  results: Record<string, unknown>,
): results is Results<All> & Record<string, unknown> {
  return Object.keys(named).every((name) => results[name] !== undefined);
}

/** Carries statements out as one transaction. */
export async function batch<const All extends Named>(db: Database, named: All): Promise<Results<All>> {
  return resultsOf(named, await db.batch(inOrder(named)));
}

/** Statements that may be carried out together with others, and what their answers say. */
export interface BatchPart<Value> {
  statements: readonly [Statement, ...Statement[]];
  /** `answers`: what each of `statements` found, in their order. */
  resultOf(answers: readonly unknown[]): Value;
}

/** The part of the statements of `named`, of whose results `resultOf` makes the value. */
export function batchPart<const All extends Named, Value>(
  named: All,
  resultOf: (results: Results<All>) => Value,
): BatchPart<Value> {
  return { statements: inOrder(named), resultOf: (answers) => resultOf(resultsOf(named, answers)) };
}

/** The same statements, of whose value `then` makes another. */
export function mapPart<Value, Next>(part: BatchPart<Value>, then: (value: Value) => Next): BatchPart<Next> {
  return { statements: part.statements, resultOf: (answers) => then(part.resultOf(answers)) };
}

/** Two parts as one, the statements of `first` before those of `second`. */
export function bothParts<First, Second>(first: BatchPart<First>, second: BatchPart<Second>) {
  const count = first.statements.length;
  const part: BatchPart<[First, Second]> = {
    statements: [...first.statements, ...second.statements],
    resultOf: (answers) => [first.resultOf(answers.slice(0, count)), second.resultOf(answers.slice(count))],
  };
  return part;
}

/** Carries a part out: one round trip. */
export async function ask<Value>(db: Database, part: BatchPart<Value>): Promise<Value> {
  return part.resultOf(await db.batch(part.statements));
}

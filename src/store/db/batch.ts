// Parts of a batch: what is asked together is one round trip, and one transaction.
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Database } from "./db.ts";

type Statement = BatchItem<"sqlite">;
type Statements = readonly [Statement, ...Statement[]];

/** Statements that belong together, and what their answers say. */
export interface BatchPart<Value> {
  statements: Statements;
  /** `answers`: what each of `statements` found, in their order. */
  resultOf(answers: unknown[]): Value;
}

/** The part of `statements`, of whose answers `resultOf` makes the result. */
export function batchPart<const All extends Statements, Value>(
  statements: All,
  resultOf: (answers: BatchResponse<All>) => Value,
): BatchPart<Value> {
  return {
    statements,
    resultOf(answers) {
      if (!areAnswersOf(statements, answers)) throw new Error("a statement of a batch has no answer");
      return resultOf(answers);
    },
  };
}

function areAnswersOf<All extends Statements>(
  statements: All,
  answers: readonly unknown[],
): answers is BatchResponse<All> & readonly unknown[] {
  return answers.length === statements.length;
}

/** The same statements, of whose result `then` makes another. */
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
  return part.resultOf([...(await db.batch(part.statements))]);
}

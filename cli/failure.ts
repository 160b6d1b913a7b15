// Every way in which a command ends without success, each with its exit code.
import type { RefusalBody } from "../src/client/calls.ts";
import type { NoAnswer, Refusal } from "../src/client/errors.ts";
import type { Typed } from "./typed.ts";

export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  notAuthenticated: 3,
  refused: 4,
  planLimit: 5,
  rateLimited: 6,
  deliveryFailed: 7,
  notFinished: 8,
  interrupted: 130,
} as const;

/** An end that its message explains. `hint` says what to do or to type next. */
export class Failure extends Error {
  override name = "Failure";
  readonly exitCode: number;
  readonly hint: string | null;

  constructor(exitCode: number, message: string, hint: string | null = null) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** What was typed cannot be done as it stands. */
export const usage = (message: string, hint: string | null = null) => new Failure(EXIT.usage, message, hint);
/** A typed word to repeat in a message; null for one that may be a key, whole or in part: those are never printed. */
export const repeatable = (word: string) => (/^-{0,2}[a-z][a-z-]{0,19}$/i.test(word) ? word : null);
export const notSignedIn = (message: string) =>
  new Failure(EXIT.notAuthenticated, message, "crier login, or set CRIER_API_KEY and CRIER_URL");
export const interrupted = () => new Failure(EXIT.interrupted, "Interrupted.");

/** No answer, or none that can be understood. */
export class Unanswered extends Failure {
  override name = "Unanswered";
  /** Whether the same call may well be answered in a moment. */
  readonly passes: boolean;

  constructor({ message, passes }: NoAnswer, hint: string) {
    super(EXIT.unexpected, message, hint);
    this.passes = passes;
  }
}

/** The service said no. */
export class Refused extends Failure {
  override name = "Refused";
  readonly status: number;
  readonly body: RefusalBody;
  /** Whether the same call may well be answered in a moment. */
  readonly passes: boolean;
  /** What was typed for the post that it refuses, if it is one. */
  typed: Typed | null = null;

  constructor({ status, message, hint, body, passes }: Refusal) {
    super(exitCodeOf(status), message, hint);
    this.status = status;
    this.body = body;
    this.passes = passes;
  }
}

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.notAuthenticated;
  if (status === 402) return EXIT.planLimit;
  if (status === 429) return EXIT.rateLimited;
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.unexpected;
}

// Every way in which a command ends without success, each with its exit code.
import type { ErrorBody } from "./api/error-body.ts";
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
/** No answer, or none that can be understood. */
export const unreachable = (message: string, hint: string | null = null) => new Failure(EXIT.unexpected, message, hint);
export const notSignedIn = (message: string) =>
  new Failure(EXIT.notAuthenticated, message, "crier login, or set CRIER_API_KEY and CRIER_URL");
export const interrupted = () => new Failure(EXIT.interrupted, "Interrupted.");

/** The service said no. */
export class Refused extends Failure {
  override name = "Refused";
  readonly status: number;
  readonly body: ErrorBody;
  /** What was typed for the post that it refuses, if it is one. */
  typed: Typed | null = null;

  constructor(status: number, body: ErrorBody) {
    super(exitCodeOf(status), body.message, body.hint ?? null);
    this.status = status;
    this.body = body;
  }
}

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.notAuthenticated;
  if (status === 402) return EXIT.planLimit;
  if (status === 429) return EXIT.rateLimited;
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.unexpected;
}

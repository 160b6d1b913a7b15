// Every way in which a command can fail, each with its exit code.
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

/** A failure with a message. `hint` says what to do or type next. */
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

const NAMES: Record<number, string> = {
  [EXIT.usage]: "usage",
  [EXIT.notAuthenticated]: "not_signed_in",
  [EXIT.deliveryFailed]: "delivery_failed",
  [EXIT.notFinished]: "not_finished",
};
/** The code of a failure that is not the service's, for scripts. */
export const nameOfFailure = ({ exitCode }: Failure): string => NAMES[exitCode] ?? "failed";

/** The command line is invalid. */
export const usage = (message: string, hint: string | null = null) => new Failure(EXIT.usage, message, hint);
/** A typed word to repeat in a message; null for a word that may be all or part of a key, because keys are never printed. */
export const repeatable = (word: string) => (/^-{0,2}[a-z][a-z-]{0,19}$/i.test(word) ? word : null);
export const notSignedIn = (message: string) =>
  new Failure(EXIT.notAuthenticated, message, "crier login, or set CRIER_API_KEY and CRIER_URL");
export const interrupted = () => new Failure(EXIT.interrupted, "Interrupted.");

/** No answer, or an answer that cannot be parsed. */
export class Unanswered extends Failure {
  override name = "Unanswered";
  /** Whether the same call may succeed soon. */
  readonly passes: boolean;

  constructor({ message, passes }: NoAnswer, hint: string) {
    super(EXIT.unexpected, message, hint);
    this.passes = passes;
  }
}

/** The service refused the call. */
export class Refused extends Failure {
  override name = "Refused";
  readonly status: number;
  readonly body: RefusalBody;
  /** Whether the same call may succeed soon. */
  readonly passes: boolean;
  /** The arguments of the refused post, if the call was about a post. */
  typed: Typed | null = null;

  constructor({ status, message, hint, body, passes }: Refusal) {
    super(toExitCode(status), message, hint);
    this.status = status;
    this.body = body;
    this.passes = passes;
  }
}

/** The exit code for a refusal of the service. */
export function toExitCode(status: number): number {
  if (status === 401 || status === 403) return EXIT.notAuthenticated;
  if (status === 402) return EXIT.planLimit;
  if (status === 429) return EXIT.rateLimited;
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.unexpected;
}

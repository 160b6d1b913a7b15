// The ways in which a call can fail.
import type { Code, RefusalBody } from "./calls.ts";

/** Any failure of a call. */
export class CrierError extends Error {
  override name = "CrierError";
}

/** The service refused the call and did nothing. Programs should decide by `code`. */
export class Refusal extends CrierError {
  override name = "Refusal";
  readonly status: number;
  readonly code: Code;
  /** The next step for the caller. */
  readonly hint: string | null;
  readonly body: RefusalBody;

  constructor(status: number, body: RefusalBody) {
    super(body.message);
    this.hint = body.hint ?? null;
    this.status = status;
    this.code = body.error;
    this.body = body;
  }

  /** Whether the same call may succeed soon. A 503 for another reason means that part of the service is not configured. */
  get passes(): boolean {
    return this.code === "network_unavailable";
  }
}

/** No answer, or an answer that is not from Crier. The call may have been carried out. */
export class NoAnswer extends CrierError {
  override name = "NoAnswer";
  /** null: the connection failed. */
  readonly status: number | null;
  /** Whether the same call may succeed soon. */
  readonly passes: boolean;

  constructor(message: string, { status, passes }: { status: number | null; passes: boolean }) {
    super(message);
    this.status = status;
    this.passes = passes;
  }
}

/** Whether the same call may succeed soon after this error. */
export const isPassing = (error: unknown): error is Error =>
  error instanceof Error && "passes" in error && error.passes === true;

/** Whether the body of an error response is a Crier refusal, with the texts that programs show. */
export function isRefusalBody(body: unknown): body is RefusalBody {
  return (
    hasText(body, "error") &&
    hasText(body, "message") &&
    (!("hint" in body) || body.hint === null || typeof body.hint === "string") &&
    (!("violations" in body) || (Array.isArray(body.violations) && body.violations.every(isViolation))) &&
    (!("more_violations" in body) || typeof body.more_violations === "number")
  );
}

const isViolation = (violation: unknown) => hasText(violation, "code") && hasText(violation, "message");

const hasText = <Field extends string>(value: unknown, field: Field): value is Record<Field, string> =>
  typeof Object(value)[field] === "string";

const WORDS: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host name cannot be looked up",
  ECONNRESET: "the connection was broken off",
  UND_ERR_SOCKET: "the connection was broken off",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
  TimeoutError: "no answer in time",
  EHOSTUNREACH: "no way to the host",
  ENETUNREACH: "no way to the network",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
};

/** Describes a connection failure in words. */
export function connectionTrouble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const inner = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause instanceof Error ? cause : error;
  const code = inner instanceof Error && "code" in inner && typeof inner.code === "string" ? inner.code : inner.name;
  return WORDS[code] ?? inner.message ?? code;
}

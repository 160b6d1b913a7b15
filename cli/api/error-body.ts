// The body of a refusal, as the contract has it.
import type * as z from "zod";
import type {
  PlanLimitReached,
  PostRefused,
  RateLimited,
  Violation as ViolationShape,
} from "../../src/contract/refusals.ts";

export type ErrorBody = z.output<typeof PostRefused> &
  Partial<Omit<z.output<typeof PlanLimitReached>, keyof z.output<typeof PostRefused>>> &
  Partial<Pick<z.output<typeof RateLimited>, "retry_after">>;
export type Violation = z.output<typeof ViolationShape>;

/** Whether what came under an error status is a body of ours. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === "object" &&
    body !== null &&
    "error" in body &&
    typeof body.error === "string" &&
    "message" in body &&
    typeof body.message === "string"
  );
}

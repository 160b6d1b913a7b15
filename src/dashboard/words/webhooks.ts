// The answer of an endpoint to a call.
import type { LOGGED_OUTCOMES } from "../../domain/webhook.ts";
import { formatNumber } from "./counts.ts";

interface Answered {
  outcome: (typeof LOGGED_OUTCOMES)[number];
  response_code: number | null;
  ms: number;
}

/** "Your endpoint answered 500 in 23 ms." */
export function describeWebhookAnswer({ outcome, response_code: code, ms }: Answered): string {
  const duration = `${formatNumber(ms, 0)} ms`;
  if (code !== null) return `Your endpoint answered ${code} in ${duration}.`;
  switch (outcome) {
    case "timeout":
      return `Your endpoint didn't answer within ${duration}.`;
    case "blocked":
      return "This address isn't public, so it wasn't called.";
    case "skipped":
      return "Your endpoint was turned off, so it wasn't called.";
    default:
      return `Your endpoint couldn't be reached (${duration}).`;
  }
}

// Asks for the account's plan, because Cloudflare's API reveals it only to tokens that may read billing.
import { createInterface } from "node:readline/promises";
import type { AccountPlan } from "../../src/domain/account-plan.ts";

const QUESTION = `Which plan does this Cloudflare account have?
  free   100,000 requests a day and 10 ms of processor time for each: enough for one person or a small team
  paid   Workers Paid, $5 a month
free or paid: `;

/** Asks until the user names a plan. null: there is no terminal. */
export async function askAccountPlan(signal: AbortSignal): Promise<AccountPlan | null> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const answer = (await terminal.question(QUESTION, { signal })).trim().toLowerCase();
      if (answer === "free" || answer === "paid") return answer;
    }
  } finally {
    terminal.close();
  }
}

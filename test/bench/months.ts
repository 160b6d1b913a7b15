// What a month costs by what was metered: deliveries with all the verifications that follow them.
import { VERIFICATIONS } from "../../src/domain/delivery/verification.ts";
import { billedEach, sumOf, type Use } from "./prices.ts";
import type { Results } from "./print.ts";

/** Deliveries a month. */
const MONTHS = [1_000, 100_000, 1_000_000, 30_000_000];

const dollars = (value: number) => `$${value.toFixed(2)}`;

/** The bill of a month, the $5 of the plan among it, as rows of a table in Markdown; empty where not all of it was measured. */
export function monthTable(all: Results[]): string {
  const lines: string[] = [];
  for (const { name, price4, price1, verify } of all) {
    const [four, one, verification] = [price4.at(-1), price1.at(-1), verify.at(-1)];
    if (four === undefined || one === undefined || verification === undefined) continue;
    const afterwards = timesOf(verification.use, VERIFICATIONS);
    lines.push(
      "",
      `${name}: deliveries a month | posts on four channels | with verifications | posts on one | with verifications`,
    );
    for (const count of MONTHS) {
      const bill = (use: Use) => dollars(billedEach(use, count / 1e6) * (count / 1e6));
      const cells = [four.use, one.use].flatMap((use) => [bill(use), bill(sumOf(use, afterwards))]);
      lines.push(`| ${[count.toLocaleString("en"), ...cells].join(" | ")} |`);
    }
  }
  return lines.join("\n");
}

const timesOf = (use: Use, times: number): Use =>
  Array.from({ length: times - 1 }).reduce<Use>((sum) => sumOf(sum, use), use);

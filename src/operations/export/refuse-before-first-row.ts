import type { Context } from "../../context.ts";
import { findRefusal, refuse } from "../../domain/refusal.ts";

/**
 * Streams the pieces of a table. After the first piece is sent, a refusal is no longer possible; the connection can only be
 * closed. On the free plan, a request has a limited number of statements. So on that plan, the whole table is read before its
 * first row is sent. Throws `too_much_for_free_plan`.
 */
export async function* refuseBeforeFirstRow(
  { settings }: Pick<Context, "settings">,
  pieces: AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (settings.accountPlan === "paid") {
    yield* pieces;
    return;
  }
  const whole: string[] = [];
  try {
    for await (const piece of pieces) whole.push(piece);
  } catch (error) {
    if (findRefusal(error)?.code !== "too_much_for_free_plan") throw error;
    throw refuse("too_much_for_free_plan", {
      message: "The table has more rows than the hosting platform's free plan lets one request read.",
      hint: "Ask for a shorter time with `from` and `to`, several times. The list without `.csv` has pages.",
    });
  }
  yield* whole;
}

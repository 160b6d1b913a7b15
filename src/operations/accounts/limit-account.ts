import type { Context } from "../../context.ts";
import type { RateLimitName } from "../../domain/rate-limit.ts";
import { forgiveTries, limitTries } from "../rate-limit.ts";
import { readDevice } from "./device.ts";

/**
 * Counts a try at an account: by address, by account and address, and under a wide limit for the account from everywhere,
 * so that nobody shuts its owner out from elsewhere. A device that has signed in to the account before is counted by itself:
 * neither strangers nor the account's other devices make it wait. `email`: as it is stored. Returns a function that forgets
 * the tries after a success.
 */
export async function limitAccount(
  ctx: Context,
  what: "login" | "forgot",
  email: string,
  proof: string | undefined,
): Promise<() => Promise<void>> {
  const device = await readDevice(ctx, email, proof);
  const counted: [RateLimitName, string][] =
    device === null
      ? [
          [`${what}_account_address`, `${email} ${ctx.address ?? ""}`],
          [`${what}_account`, email],
        ]
      : [[`${what}_device`, device]];
  if (device === null) await limitTries(ctx, { address: `${what}_address` });
  // The narrow one first: a caller over it must not use up the account's.
  for (const account of counted) await limitTries(ctx, { account });
  return async () => {
    for (const [limit, account] of counted) await forgiveTries(ctx, limit, account);
  };
}

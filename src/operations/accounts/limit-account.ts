import type { Context } from "../../context.ts";
import type { RateLimitName } from "../../domain/rate-limit.ts";
import { forgiveTries, limitTries } from "../rate-limit.ts";
import { readDevice } from "./device.ts";

/**
 * Counts an attempt on an account by caller address, by account and address together, and by account alone under a wide
 * limit. That limit is wide so that attempts from elsewhere do not lock the owner out. A device that has signed in to
 * the account before has its own count, so neither strangers nor other devices of the account delay it. `email`: as it
 * is stored. Returns a function that clears the counts after a success.
 */
export async function limitAccount(
  ctx: Context,
  purpose: "login" | "forgot",
  email: string,
  proof: string | undefined,
): Promise<() => Promise<void>> {
  const device = await readDevice(ctx, email, proof);
  const counted: [RateLimitName, string][] =
    device === null
      ? [
          [`${purpose}_account_address`, `${email} ${ctx.address ?? ""}`],
          [`${purpose}_account`, email],
        ]
      : [[`${purpose}_device`, device]];
  if (device === null) await limitTries(ctx, { address: `${purpose}_address` });
  // The narrow limit is checked first: a caller over it must not use up the account's limit.
  for (const account of counted) await limitTries(ctx, { account });
  return async () => {
    for (const [limit, account] of counted) await forgiveTries(ctx, limit, account);
  };
}

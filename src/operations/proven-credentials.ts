import type { Caller, Context } from "../context.ts";
import { type Refusal, refuse } from "../domain/refusal.ts";
import { limitTries } from "./rate-limit.ts";

/** Remembers whether a credential was valid when it was checked. */
export async function rememberValidity(ctx: Context, tokenHash: string, judging: Promise<Caller>): Promise<Caller> {
  try {
    const caller = await judging;
    ctx.provenCredentials.add(tokenHash, ctx.now());
    return caller;
  } catch (error) {
    ctx.provenCredentials.delete(tokenHash);
    throw error;
  }
}

/** Counts an attempt with an unknown key, and returns the refusal to throw. */
export async function refuseUnknownKey(ctx: Context, kind: "workspace" | "account" = "workspace"): Promise<Refusal> {
  await limitTries(ctx, { address: "bad_key_address" });
  return refuse("unauthorized", { message: `The ${kind} key is invalid.` });
}

// What a browser keeps of a sign-in when its session is over: that it is its owner's. It opens nothing, and cannot be made
// to wait by what others try.
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { DEVICE_LIFE_MS } from "../../domain/limits.ts";

/** It is sealed for the account alone. */
const placeOf = (email: string) => ({ purpose: "device", workspace: email, row: "" }) as const;

/** The proof for a browser that has just signed in to an account; null: nothing can be sealed. `email`: as it is stored. */
export async function makeDevice(ctx: Context, email: string): Promise<string | null> {
  const device = `${base64Url(ctx.entropy(16))} ${ctx.now() + DEVICE_LIFE_MS}`;
  return (await ctx.seal?.seal(device, placeOf(email))) ?? null;
}

/** The id of the device that such a proof names; null: it is of another account, too old, or not ours. */
export async function readDevice(ctx: Context, email: string, proof: string | undefined): Promise<string | null> {
  const device = proof === undefined ? null : await ctx.seal?.unseal(proof, placeOf(email));
  const [id, until] = device?.split(" ") ?? [];
  return id !== undefined && Number(until) > ctx.now() ? id : null;
}

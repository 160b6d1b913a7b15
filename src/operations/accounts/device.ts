// What a browser keeps after its session has ended: a proof that it has signed in to the account before. The proof opens
// nothing. It gives the browser tries of its own, so what others try does not make it wait. A reset, a take-over and a
// change of password begin a new generation of the account, which ends the proofs of all browsers.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { DEVICE_LIFE_MS } from "../../domain/limits.ts";
import { findDeviceAccount, findUserByEmail } from "../../store/accounts/accounts.ts";

/** A proof is sealed for its account's address. */
const getPlace = (email: string) => ({ purpose: "device", workspace: email, row: "" }) as const;

/** The proof for a browser whose session has just begun; null: the session has ended already, or nothing can be sealed. */
export async function makeDevice(ctx: Context, token: string): Promise<string | null> {
  const account = await findDeviceAccount(ctx.accounts, await sha256Hex(token));
  if (account === undefined) return null;
  const { email, id, deviceGeneration } = account;
  const device = [base64Url(ctx.entropy(16)), ctx.now() + DEVICE_LIFE_MS, id, deviceGeneration].join(" ");
  return (await ctx.seal?.seal(device, getPlace(email))) ?? null;
}

/**
 * The id of the device that a proof names. null: the proof is of another account, of an earlier generation, too old, or was
 * not made here. `email`: as it is stored.
 */
export async function readDevice(ctx: Context, email: string, proof: string | undefined): Promise<string | null> {
  const device = proof === undefined ? null : await ctx.seal?.unseal(proof, getPlace(email));
  const [deviceId, expiresAt, userId, generation] = device?.split(" ") ?? [];
  if (deviceId === undefined || !(Number(expiresAt) > ctx.now())) return null;
  const user = await findUserByEmail(ctx.accounts, email);
  return user?.id === userId && String(user?.deviceGeneration) === generation ? deviceId : null;
}

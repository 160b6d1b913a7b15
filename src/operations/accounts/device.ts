// A proof that a browser has signed in to the account before. The browser keeps it after its session has ended. The
// proof grants no access. It gives the browser its own rate limit, so other people's attempts do not delay it. A reset,
// a take-over and a change of password start a new generation of the account, which invalidates the proofs of all
// browsers.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { DEVICE_LIFE_MS } from "../../domain/limits.ts";
import { findDeviceAccount, findUserByEmail } from "../../store/accounts/accounts.ts";

/** A proof is sealed for the address of its account. */
const getDeviceBinding = (email: string) => ({ purpose: "device", workspace: email, row: "" }) as const;

/**
 * Makes the proof for a browser whose session has just begun; null: the session has already ended, or sealing is not
 * configured.
 */
export async function makeDevice(ctx: Context, token: string): Promise<string | null> {
  const account = await findDeviceAccount(ctx.accounts, await sha256Hex(token));
  if (account === undefined) return null;
  const { email, id, deviceGeneration } = account;
  const device = [base64Url(ctx.entropy(16)), ctx.now() + DEVICE_LIFE_MS, id, deviceGeneration].join(" ");
  return (await ctx.seal?.seal(device, getDeviceBinding(email))) ?? null;
}

/**
 * Reads the device id from a proof. null: the proof belongs to another account or an earlier generation, has expired,
 * or was not made here. `email`: as it is stored.
 */
export async function readDevice(ctx: Context, email: string, proof: string | undefined): Promise<string | null> {
  const device = proof === undefined ? null : await ctx.seal?.unseal(proof, getDeviceBinding(email));
  const [deviceId, expiresAt, userId, generation] = device?.split(" ") ?? [];
  if (deviceId === undefined || !(Number(expiresAt) > ctx.now())) return null;
  const user = await findUserByEmail(ctx.accounts, email);
  return user?.id === userId && String(user?.deviceGeneration) === generation ? deviceId : null;
}

// What an authenticator is asked for: a new passkey, or one that the person has.
import type * as z from "zod";
import { sha256 } from "../../adapters/digest.ts";
import { getRelyingParty, PASSKEY_ALGORITHMS, type RelyingParty } from "../../adapters/webauthn.ts";
import type { Context } from "../../context.ts";
import type { PasskeyCreation, PasskeyRequest } from "../../contract/passkeys.ts";
import { base64Url } from "../../domain/encoding.ts";
import { FACTOR_CHALLENGE_LIFE_MS } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import type { UserRow } from "../../store/accounts/accounts.ts";
import type { FactorRow } from "../../store/accounts/factors.ts";

/** Throws `invalid_field` where the deployment's address has no host name to bind passkeys to. */
export function requireRelyingParty(ctx: Context): RelyingParty {
  const party = getRelyingParty(ctx.settings.baseUrl);
  if (party !== null) return party;
  throw refuse("invalid_field", {
    field: "/kind",
    message: "This deployment's address is an IP address, and browsers make passkeys for host names only.",
  });
}

/** What an authenticator signs for a challenge: derived from it, so it works as often as the challenge does. */
export const derivePasskeyChallenge = async (challenge: string) => base64Url(await sha256(`passkey|${challenge}`));

const describe = ({ credentialId, transports }: FactorRow) =>
  credentialId === null ? [] : [{ type: "public-key" as const, id: credentialId, transports: transports ?? [] }];

/** `challenge`: as the authenticator signs it. `factors`: which the person has already. */
export function askForNewPasskey(
  party: RelyingParty,
  { user, challenge, factors }: { user: UserRow; challenge: string; factors: FactorRow[] },
): z.input<typeof PasskeyCreation> {
  return {
    rp: { id: party.id, name: "Crier" },
    user: {
      id: base64Url(new TextEncoder().encode(user.id)),
      name: user.email,
      displayName: user.name ?? user.email,
    },
    challenge,
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: FACTOR_CHALLENGE_LIFE_MS,
    excludeCredentials: factors.flatMap(describe),
    authenticatorSelection: { residentKey: "discouraged", userVerification: "preferred" },
    attestation: "none",
  };
}

/** What a browser asks a person's authenticators for; null: they have no passkey. */
export async function askForPasskey(
  ctx: Context,
  challenge: string,
  factors: FactorRow[],
): Promise<z.input<typeof PasskeyRequest> | null> {
  const party = getRelyingParty(ctx.settings.baseUrl);
  const allowCredentials = factors.flatMap(describe);
  if (party === null || allowCredentials.length === 0) return null;
  return {
    challenge: await derivePasskeyChallenge(challenge),
    rpId: party.id,
    timeout: FACTOR_CHALLENGE_LIFE_MS,
    userVerification: "preferred",
    allowCredentials,
  };
}

// Builds the requests to an authenticator: for a new passkey, or for an existing one.
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

/** Throws `invalid_field` if the deployment's address has no host name to bind passkeys to. */
export function requireRelyingParty(ctx: Context): RelyingParty {
  const party = getRelyingParty(ctx.settings.baseUrl);
  if (party !== null) return party;
  throw refuse("invalid_field", {
    field: "/kind",
    message: "This deployment's address is an IP address, and browsers make passkeys for host names only.",
  });
}

/**
 * The value that an authenticator signs for a challenge. It is derived from the challenge, so it stays valid as long as
 * the challenge does.
 */
export const derivePasskeyChallenge = async (challenge: string) => base64Url(await sha256(`passkey|${challenge}`));

const describe = ({ credentialId, transports }: FactorRow) =>
  credentialId === null ? [] : [{ type: "public-key" as const, id: credentialId, transports: transports ?? [] }];

/** Requests a new passkey. `challenge`: the value that the authenticator signs. `factors`: the person's existing factors. */
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

/** The request that a browser passes to a person's authenticators; null: they have no passkey. */
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

// Passkeys (WebAuthn). The library is loaded on first use: it is large, and most requests never need it.
import { base64Url, fromBase64Url } from "../domain/encoding.ts";

/** The relying party that this deployment's passkeys are bound to. */
export interface RelyingParty {
  /** The host name. */
  id: string;
  origin: string;
}

/** The host that passkeys are bound to; null for an IP address, for which browsers create no passkeys. */
export function getRelyingParty(baseUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(baseUrl);
  return /^[\d.]+$|^\[/.test(hostname) ? null : { id: hostname, origin };
}

/** ES256, EdDSA and RS256 (https://www.iana.org/assignments/cose, read 2026-11-24). */
export const PASSKEY_ALGORITHMS = [-7, -8, -257];

interface CreatedResponse {
  id: string;
  rawId: string;
  type: "public-key";
  response: { clientDataJSON: string; attestationObject: string };
}
interface ShownResponse {
  id: string;
  rawId: string;
  type: "public-key";
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
}
/** A stored passkey. */
interface Passkey {
  credentialId: string;
  /** COSE, base64url. */
  publicKey: string;
  counter: number;
}

const load = () => import("@simplewebauthn/server");

/**
 * The new passkey in an authenticator's response; null if the response is for another challenge or host, or is malformed.
 */
export async function readCreatedPasskey(
  party: RelyingParty,
  challenge: string,
  created: CreatedResponse,
): Promise<Passkey | null> {
  const { verifyRegistrationResponse } = await load();
  const verified = await verifyRegistrationResponse({
    response: { ...created, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  }).catch(() => null);
  if (verified?.verified !== true) return null;
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  return { credentialId: id, publicKey: base64Url(publicKey), counter };
}

/** The passkey's new signature counter; null if the passkey did not sign the response for this challenge and host. */
export async function readShownPasskey(
  party: RelyingParty,
  challenge: string,
  { credentialId, publicKey, counter }: Passkey,
  response: ShownResponse,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await load();
  const verified = await verifyAuthenticationResponse({
    response: { ...response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: { id: credentialId, publicKey: fromBase64Url(publicKey), counter },
    requireUserVerification: false,
  }).catch(() => null);
  return verified?.verified === true ? verified.authenticationInfo.newCounter : null;
}

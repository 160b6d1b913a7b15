// Creates and uses passkeys in this browser, in the service's format.

import type { RefusalBody } from "../../client/calls.ts";
import type { Answer, Body } from "../../client/client.ts";
import { base64Url } from "../../domain/encoding.ts";
import { ShownError } from "../shown-error.ts";

export type PasskeyRequest = NonNullable<RefusalBody["passkey"]>;
type PasskeyCreation = NonNullable<Answer<"factors.add">["options"]>;
export type ShownPasskey = NonNullable<Body<"factors.prove">["passkey"]>;
export type CreatedPasskey = NonNullable<Body<"factors.confirm">["passkey"]>;

/** Whether this browser can create and use passkeys with the service's options. */
export const hasPasskeys = () =>
  "PublicKeyCredential" in window && "parseCreationOptionsFromJSON" in PublicKeyCredential;

const encode = (buffer: ArrayBuffer) => base64Url(new Uint8Array(buffer));
/** Browsers do not report the reason, because it would reveal something about the person's authenticators. */
const refuse = () => new ShownError("The passkey wasn't used. Try again.");

/** The browser's response, and the fields that identify its passkey to the service. Throws if the person declined. */
async function readCredential(request: Promise<Credential | null>) {
  const credential = await request.catch(() => null);
  if (!(credential instanceof PublicKeyCredential)) throw refuse();
  const { id, rawId, response } = credential;
  return { named: { id, rawId: encode(rawId), type: "public-key" as const }, response };
}

/** Asks the person to create a passkey. Throws if they decline. */
export async function createPasskey(options: PasskeyCreation): Promise<CreatedPasskey> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const { named, response } = await readCredential(navigator.credentials.create({ publicKey }));
  if (!(response instanceof AuthenticatorAttestationResponse)) throw refuse();
  return {
    ...named,
    response: {
      clientDataJSON: encode(response.clientDataJSON),
      attestationObject: encode(response.attestationObject),
      transports: response.getTransports(),
    },
  };
}

/** Asks the person to use a passkey. Throws if they decline. */
export async function getPasskey(options: PasskeyRequest): Promise<ShownPasskey> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const { named, response } = await readCredential(navigator.credentials.get({ publicKey }));
  if (!(response instanceof AuthenticatorAssertionResponse)) throw refuse();
  return {
    ...named,
    response: {
      clientDataJSON: encode(response.clientDataJSON),
      authenticatorData: encode(response.authenticatorData),
      signature: encode(response.signature),
    },
  };
}

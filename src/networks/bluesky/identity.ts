// Identities: the server of an account, according to its identity document (atproto.com/specs/did, read 2026-11-20).
import * as z from "zod";
import type { NetworkIO } from "../network.ts";
import { onHost, PLC } from "./api.ts";

export const DidDocument = z.object({
  service: z.array(z.object({ id: z.string(), serviceEndpoint: z.unknown() })).default([]),
  alsoKnownAs: z.array(z.string()).catch([]).default([]),
});
type DidDocument = z.output<typeof DidDocument>;

/** The length limit of a server's address. */
export const SERVER_LENGTH_MAX = 300;

export const withoutSlash = (url: string) => url.replace(/\/+$/, "");

/** The address of the account's server in its identity document; null if the document has no valid address. */
export function findPdsUrl(document: DidDocument | null | undefined): string | null {
  const entry = document?.service.find(({ id }) => id.endsWith("#atproto_pds"));
  const url = z
    .url({ protocol: /^https?$/ })
    .max(SERVER_LENGTH_MAX)
    .safeParse(entry?.serviceEndpoint);
  return url.success ? withoutSlash(url.data) : null;
}

/** Reads an identity document; null if no server returned a valid one. */
export async function didDocument(io: NetworkIO, did: string): Promise<DidDocument | null> {
  const web = /^did:web:([a-z0-9.-]+)$/i.exec(did)?.[1];
  const answer =
    web === undefined ? await onHost(io, PLC, `/${did}`) : await onHost(io, `https://${web}`, "/.well-known/did.json");
  return answer.is === "answer" ? (DidDocument.safeParse(answer.body).data ?? null) : null;
}

/**
 * The handle that an identity document claims first; null if it claims none. A handle belongs to an account only if both
 * lead to each other: atproto.com/specs/handle, read 2026-11-27.
 */
export function findHandle({ alsoKnownAs }: DidDocument): string | null {
  const first = alsoKnownAs.find((name) => name.startsWith("at://"));
  return first === undefined ? null : first.slice("at://".length).toLowerCase();
}

// The secrets that sign an endpoint's calls: the newest, and recently replaced secrets. They are stored sealed.
import { base64 } from "../domain/encoding.ts";
import type { Entropy } from "../domain/ids.ts";
import { type PreviousSecret, readPreviousSecrets } from "../domain/webhook.ts";
import type { Seal } from "./seal.ts";

/** An endpoint's stored secrets. */
export interface SealedSecrets {
  workspaceId: string;
  id: string;
  secret: string;
  previousSecrets: PreviousSecret[];
}

const getSealContext = ({ workspaceId, id }: Pick<SealedSecrets, "workspaceId" | "id">) =>
  ({ purpose: "webhook-secret", workspace: workspaceId, row: id }) as const;

/** A new secret: `whsec_` and the base64 of 32 random bytes. */
export function makeWebhookSecret(entropy: Entropy): string {
  return `whsec_${base64(entropy(32))}`;
}

export function sealWebhookSecret(seal: Seal, endpoint: { workspaceId: string; id: string }, secret: string) {
  return seal.seal(secret, getSealContext(endpoint));
}

/** The secrets that sign at `now` (epoch milliseconds), newest first; null if the newest cannot be unsealed. */
export async function openWebhookSecrets(
  seal: Seal | null,
  endpoint: SealedSecrets,
  now: number,
): Promise<string[] | null> {
  const open = async (sealed: string) => (await seal?.unseal(sealed, getSealContext(endpoint))) ?? null;
  const newest = await open(endpoint.secret);
  if (newest === null) return null;
  const still = readPreviousSecrets(endpoint.previousSecrets).filter(({ until }) => until > now);
  const previousSecrets = await Promise.all(still.map(({ secret }) => open(secret)));
  return [newest, ...previousSecrets.filter((secret) => secret !== null)];
}

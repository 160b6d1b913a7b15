// This deployment as an OAuth client that servers of other operators know by the address of its description.
import type { ClientSigner } from "../adapters/client-signer.ts";
import { CLIENT_DOCUMENT } from "../domain/oauth.ts";
import type { OAuthClient } from "../networks/network.ts";
import type { Settings } from "../settings.ts";

/** null: there are no keys, or no server of another operator could read an address of this deployment. */
export function makeOAuthClient(
  { baseUrl, provider }: Pick<Settings, "baseUrl" | "provider">,
  signer: ClientSigner | null,
): OAuthClient | null {
  const isReadable = provider === "sandbox" || baseUrl.startsWith("https://");
  if (signer === null || !isReadable) return null;
  const id = `${baseUrl}${CLIENT_DOCUMENT}`;
  return {
    id,
    getActiveKey: () => signer.getActiveKey(),
    assert: (key, issuer, now) => signer.assert(key, id, issuer, now),
  };
}

// The accounts of a network: how one is connected, with credentials or by a user's consent.
import type { Retryable } from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import type { App, NetworkIO } from "./network-io.ts";

export interface Account<Credential> {
  is: "connected";
  /** The network's permanent id of the account. The handle may change. */
  accountId: string;
  handle: string;
  name: string | null;
  avatarUrl: string | null;
  profileUrl: string | null;
  credential: Credential;
  /** Epoch milliseconds after which the channel needs a user; null if it renews itself or never expires. */
  tokenExpiresAt: number | null;
  /** Optional permissions of the rule that were not granted; absent if the granted ones are unknown. */
  missingPermissions?: string[];
  /** The account's tier, a key of the rule's `tiers`; absent if the rule has none. */
  tier?: string;
}
export interface CredentialsRefused {
  is: "credentials_refused";
  /** JSON pointer below `credentials`, as `/app_password`. */
  field: string;
  message: string;
  hint: string;
  /** The network's message, unchanged. */
  networkMessage?: string;
}
export type Connected<Credential> = Account<Credential> | CredentialsRefused | Retryable;

/** The result of a user's consent: the accounts that the grant covers, in the order in which to offer them. */
export interface Granted<Credential> {
  is: "granted";
  accounts: Account<Credential>[];
  /** The number of further accounts that cannot be offered; absent if there are no others. */
  leftOut?: number;
}
export interface GrantRefused {
  is: "grant_refused";
  message: string;
  hint: string;
  /** The network's message, unchanged. */
  networkMessage?: string;
}

/** Sign-in by a user at the network (OAuth 2 authorization code). */
export interface Consent<Credential> {
  /** The address that a user opens. `challenge` is the S256 PKCE challenge, for networks that support one. */
  address(
    app: App,
    request: { redirectUri: string; state: string; challenge: string; apiVersion?: string | undefined },
  ): string;
  /** Exchanges the code that came back and reads which accounts the grant covers. */
  exchange(
    reply: { code: string; redirectUri: string; verifier: string },
    app: App,
    io: NetworkIO,
  ): Promise<Granted<Credential> | GrantRefused | Retryable>;
}

/** Sign-in by a user at the server of their account. There are many servers, so the account's handle leads to its own one. */
export interface ConsentByHandle<Credential> {
  /** All permissions that a sign-in may ask for, for the description of this deployment. */
  permissions: readonly string[];
  /**
   * Finds the account's server and announces the sign-in there. `url`: the address that the user opens. `pending` is kept
   * secret until the server redirects back.
   */
  start(
    handle: string,
    request: { redirectUri: string; state: string; challenge: string },
    io: NetworkIO,
  ): Promise<{ is: "started"; url: string; pending: Json } | GrantRefused | Retryable>;
  /** Exchanges the code that came back. `issuer`: the server that sent the user back, as it names itself. */
  exchange(
    reply: { code: string; redirectUri: string; verifier: string; issuer: string | null; pending: Json },
    io: NetworkIO,
  ): Promise<Granted<Credential> | GrantRefused | Retryable>;
}

// The two ways in which an account is connected, and the renewal of its session.
import type { ConnectorContext, Refreshed } from "../network.ts";
import { type Credential, isOAuth } from "./credential.ts";
import * as oauth from "./oauth.ts";
import * as password from "./password.ts";

export { consentByHandle } from "./oauth.ts";
export { connect } from "./password.ts";

export const endsAt = (credential: Credential): number | null =>
  isOAuth(credential) ? oauth.endsAt(credential) : password.endsAt(credential);

export const refreshAt = (credential: Credential): number =>
  isOAuth(credential) ? oauth.refreshAt(credential) : password.refreshAt(credential);

export const refresh = ({ credential, io }: ConnectorContext<Credential>): Promise<Refreshed<Credential>> =>
  isOAuth(credential) ? oauth.refresh({ credential, io }) : password.refresh({ credential, io });

// A person's consent without a server: the person pastes the address of the final redirect.
import { createHash, randomBytes } from "node:crypto";
import { describeReason } from "../../src/domain/delivery/reason.ts";
import type { Json } from "../../src/domain/json.ts";
import type { Account, Network, NetworkIO } from "../../src/networks/network.ts";
import { type Environment, InputError } from "./settings.ts";

/** The account that a person consents to. `ask` asks them a question. Throws `InputError`. */
export async function signInByConsent(
  network: Network,
  io: NetworkIO,
  env: Environment,
  ask: (question: string) => Promise<string>,
): Promise<Account<Json>> {
  const { platform } = network.rule;
  const { app } = io;
  if (network.consent === undefined || app === null || !env.BASE_URL) {
    const name = platform.toUpperCase();
    throw new InputError(
      `${name}_ACCESS_TOKEN missing; or set ${name}_CLIENT_ID, ${name}_CLIENT_SECRET and BASE_URL of your installation, ` +
        "to consent in a browser",
    );
  }
  const redirectUri = `${env.BASE_URL.replace(/\/+$/, "")}/v1/channels/callback/${network.rule.access.app?.callback ?? platform}`;
  const [verifier, state] = [randomBytes(32).toString("base64url"), randomBytes(16).toString("base64url")];
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const address = network.consent.address(app, { redirectUri, state, challenge });
  const landed = await ask(
    `Open this address, consent, and paste the address of the page on which you land without delay (it may show an error):\n\n${address}\n\n> `,
  );
  const returned = URL.canParse(landed.trim()) ? new URL(landed.trim()).searchParams : new URLSearchParams();
  const code = returned.get("code");
  if (code === null || returned.get("state") !== state)
    throw new InputError("the address does not belong to this consent");
  const granted = await network.consent.exchange({ code, redirectUri, verifier }, app, io);
  if (granted.is === "grant_refused") throw new InputError(`${granted.message} ${granted.hint}`);
  if (granted.is === "retryable") throw new InputError(`${granted.error}: ${describeReason(granted)}`);
  const wantedId = env[`${platform.toUpperCase()}_ACCOUNT_ID`];
  const account = granted.accounts.find(({ accountId }) => wantedId === undefined || accountId === wantedId);
  if (account !== undefined) return account;
  const offered = granted.accounts.map(({ accountId, handle }) => `${accountId} (${handle})`).join(", ");
  throw new InputError(
    `${platform.toUpperCase()}_ACCOUNT_ID is not one of ${offered || "the accounts, because there are none"}`,
  );
}

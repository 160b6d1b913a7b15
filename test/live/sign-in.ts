// A person's consent without a server: the address that they land on is pasted.
import { createHash, randomBytes } from "node:crypto";
import { describeReason } from "../../src/domain/delivery/reason.ts";
import type { Json } from "../../src/domain/json.ts";
import type { Account, Network, NetworkIO } from "../../src/networks/network.ts";
import { type Environment, NotSet } from "./settings.ts";

/** The account that somebody consents to. `ask` puts a question to them. Throws `NotSet`. */
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
    throw new NotSet(
      `${name}_ACCESS_TOKEN missing; or set ${name}_CLIENT_ID, ${name}_CLIENT_SECRET and BASE_URL of your installation, ` +
        "to consent in a browser",
    );
  }
  const redirectUri = `${env.BASE_URL.replace(/\/+$/, "")}/v1/channels/callback/${network.rule.access.app?.callback ?? platform}`;
  const [verifier, state] = [randomBytes(32).toString("base64url"), randomBytes(16).toString("base64url")];
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const address = network.consent.address(app, { redirectUri, state, challenge });
  const landed = await ask(
    `Open this, consent, and paste the address that you land on at once (the page there may show an error):\n\n${address}\n\n> `,
  );
  const given = URL.canParse(landed.trim()) ? new URL(landed.trim()).searchParams : new URLSearchParams();
  const code = given.get("code");
  if (code === null || given.get("state") !== state) throw new NotSet("that is not the address of this consent");
  const granted = await network.consent.exchange({ code, redirectUri, verifier }, app, io);
  if (granted.is === "grant_refused") throw new NotSet(`${granted.message} ${granted.hint}`);
  if (granted.is === "retryable") throw new NotSet(`${granted.error}: ${describeReason(granted)}`);
  const wanted = env[`${platform.toUpperCase()}_ACCOUNT_ID`];
  const account = granted.accounts.find(({ accountId }) => wanted === undefined || accountId === wanted);
  if (account !== undefined) return account;
  const offered = granted.accounts.map(({ accountId, handle }) => `${accountId} (${handle})`).join(", ");
  throw new NotSet(`${platform.toUpperCase()}_ACCOUNT_ID is none of ${offered || "the accounts: there are none"}`);
}

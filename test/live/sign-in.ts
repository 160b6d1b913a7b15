// A person's consent without a server: the person pastes the address of the final redirect.
import { createHash, randomBytes } from "node:crypto";
import type { Retryable } from "../../src/domain/delivery/outcome.ts";
import { describeReason } from "../../src/domain/delivery/reason.ts";
import type { Json } from "../../src/domain/json.ts";
import type { Account, GrantRefused, Network, NetworkIO } from "../../src/networks/network.ts";
import { LOOPBACK_REDIRECT } from "./loopback-client.ts";
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
  const [verifier, state] = [randomBytes(32).toString("base64url"), randomBytes(16).toString("base64url")];
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  if (network.consentByHandle !== undefined) {
    const handle = env[`${platform.toUpperCase()}_IDENTIFIER`] ?? (await ask("The account's handle: "));
    const request = { redirectUri: LOOPBACK_REDIRECT, state, challenge };
    const started = await network.consentByHandle.start(handle, request, io);
    if (started.is !== "started") return refuse(started);
    const { code, issuer } = readRedirect(await ask(describeStep(started.url)), state);
    const { pending } = started;
    const reply = { code, redirectUri: LOOPBACK_REDIRECT, verifier, issuer, pending };
    const granted = await network.consentByHandle.exchange(reply, io);
    return granted.is === "granted" ? choose(platform, granted.accounts, env) : refuse(granted);
  }
  if (network.consent === undefined || app === null || !env.BASE_URL) {
    const name = platform.toUpperCase();
    throw new InputError(
      `${name}_ACCESS_TOKEN missing; or set ${name}_CLIENT_ID, ${name}_CLIENT_SECRET and BASE_URL of your installation, ` +
        "to consent in a browser",
    );
  }
  const redirectUri = `${env.BASE_URL.replace(/\/+$/, "")}/v1/channels/callback/${network.rule.access.app?.callback ?? platform}`;
  const address = network.consent.address(app, { redirectUri, state, challenge });
  const { code } = readRedirect(await ask(describeStep(address)), state);
  const granted = await network.consent.exchange({ code, redirectUri, verifier }, app, io);
  return granted.is === "granted" ? choose(platform, granted.accounts, env) : refuse(granted);
}

const describeStep = (address: string) =>
  `Open this address, consent, and paste the address of the page on which you land without delay (it may show an error):\n\n${address}\n\n> `;

/** The code in the address of the page on which the person landed. */
function readRedirect(landed: string, state: string): { code: string; issuer: string | null } {
  const returned = URL.canParse(landed.trim()) ? new URL(landed.trim()).searchParams : new URLSearchParams();
  const code = returned.get("code");
  if (code === null || returned.get("state") !== state)
    throw new InputError("the address does not belong to this consent");
  return { code, issuer: returned.get("iss") };
}

function refuse(answer: GrantRefused | Retryable): never {
  if (answer.is === "grant_refused") throw new InputError(`${answer.message} ${answer.hint}`);
  throw new InputError(`${answer.error}: ${describeReason(answer)}`);
}

function choose(platform: string, accounts: Account<Json>[], env: Environment): Account<Json> {
  const wantedId = env[`${platform.toUpperCase()}_ACCOUNT_ID`];
  const account = accounts.find(({ accountId }) => wantedId === undefined || accountId === wantedId);
  if (account !== undefined) return account;
  const offered = accounts.map(({ accountId, handle }) => `${accountId} (${handle})`).join(", ");
  throw new InputError(
    `${platform.toUpperCase()}_ACCOUNT_ID is not one of ${offered || "the accounts, because there are none"}`,
  );
}

// Determines the credentials and the account of a deploy.
import * as z from "zod";
import { type Cloudflare, type Credentials, createCloudflare, listAccounts, TOKENS_PAGE } from "./cloudflare.ts";
import { DeployFailure } from "./failure.ts";
import { runWrangler } from "./wrangler.ts";

const PRODUCTION = "https://api.cloudflare.com/client/v4";

export interface SignedIn {
  cloudflare: Cloudflare;
  /** The same credentials and account as environment variables for wrangler. */
  wranglerEnv: Record<string, string>;
}

/** Uses `CLOUDFLARE_API_TOKEN`, or the user who is signed in to wrangler. */
export async function signIn(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<SignedIn> {
  const baseUrl = (env.CLOUDFLARE_API_BASE_URL ?? PRODUCTION).replace(/\/+$/, "");
  const login = env.CLOUDFLARE_API_TOKEN ? { token: env.CLOUDFLARE_API_TOKEN } : await askWrangler(signal);
  const headers: Record<string, string> =
    "key" in login
      ? { "x-auth-key": login.key, "x-auth-email": login.email }
      : { authorization: `Bearer ${login.token}` };
  const credentials = { baseUrl, headers };
  const accountId = env.CLOUDFLARE_ACCOUNT_ID || (await onlyAccount(credentials));
  return {
    cloudflare: createCloudflare(credentials, accountId),
    wranglerEnv: {
      CLOUDFLARE_ACCOUNT_ID: accountId,
      // Without a terminal, wrangler accepts only a token.
      ...("key" in login ? {} : { CLOUDFLARE_API_TOKEN: login.token }),
    },
  };
}

const WranglerToken = z.union([
  z.object({ type: z.enum(["oauth", "api_token"]), token: z.string() }),
  z.object({ type: z.literal("api_key"), key: z.string(), email: z.string() }),
]);

async function askWrangler(signal: AbortSignal): Promise<z.infer<typeof WranglerToken>> {
  const text = await runWrangler(["auth", "token", "--json"], { signal }).catch((error) => {
    if (!(error instanceof DeployFailure)) throw error;
    throw new DeployFailure(
      "You are not signed in to Cloudflare.",
      `Run npx wrangler login, or set CLOUDFLARE_API_TOKEN to a token from ${TOKENS_PAGE} (docs/deploy.md lists its permissions).`,
    );
  });
  return WranglerToken.parse(JSON.parse(text.slice(text.indexOf("{"))));
}

async function onlyAccount(credentials: Credentials): Promise<string> {
  const accounts = await listAccounts(credentials);
  const [account] = accounts;
  if (account === undefined) {
    throw new DeployFailure(
      "The token has no access to an account.",
      "Set CLOUDFLARE_ACCOUNT_ID: it is in the address of your dashboard, after dash.cloudflare.com/.",
    );
  }
  if (accounts.length === 1) return account.id;
  const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new DeployFailure(
    `The token has access to ${accounts.length} accounts:\n${list}`,
    "Set CLOUDFLARE_ACCOUNT_ID to one of them.",
  );
}

// An account for which only the refresh token is set. It is renewed first, as the publisher does for a channel.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { describeReason } from "../../src/domain/delivery/reason.ts";
import type { Json } from "../../src/domain/json.ts";
import type { Network, NetworkIO } from "../../src/networks/network.ts";
import { type Environment, InputError } from "./settings.ts";

/** Networks whose refresh token is enough to get an access token; the others renew the access token itself. */
const RENEWABLE = ["x", "pinterest", "tiktok", "linkedin", "youtube"];
/** Git ignores this folder. */
const FOLDER = ".wrangler/live";

const Renewed = z.looseObject({ access_token: z.string().min(1), refresh_token: z.string().min(1).nullish() });

/** The input of `connect`; null: more than the refresh token is set, or no refresh token. Throws `InputError`. */
export async function renewedInput(network: Network, io: NetworkIO, env: Environment): Promise<Json> {
  const { platform } = network.rule;
  const readVariable = (field: string) => env[`${platform.toUpperCase()}_${field}`];
  const [refreshToken, accountId] = [readVariable("REFRESH_TOKEN"), readVariable("ACCOUNT_ID")];
  if (!RENEWABLE.includes(platform) || network.refresh === undefined || !refreshToken || readVariable("ACCESS_TOKEN"))
    return null;
  const name = platform.toUpperCase();
  if (io.app === null)
    throw new InputError(`${name}_CLIENT_ID and ${name}_CLIENT_SECRET missing: only the app can renew the token`);
  // TikTok's answer must be for the requested account.
  if (platform === "tiktok" && !accountId)
    throw new InputError(`${name}_ACCOUNT_ID missing, the open_id of the account`);
  const credential = {
    access_token: "",
    refresh_token: refreshToken,
    issued_at: 0,
    expires_at: 0,
    refresh_expires_at: null,
    // The owner is read with the access token. Each network has its own field for it.
    user_id: "",
    username: "",
    author: "",
    channel_id: "",
    open_id: accountId ?? "",
  };
  const answer = await network.refresh({ credential, io });
  if (answer.is !== "fresh") throw new InputError(`${name}_REFRESH_TOKEN gives no access: ${describeReason(answer)}`);
  const { access_token, refresh_token } = Renewed.parse(answer.credential);
  return {
    access_token,
    refresh_token: refresh_token ?? refreshToken,
    ...(accountId ? { account_id: accountId } : {}),
  };
}

/**
 * Stores the refresh token of a credential if it differs from the one in the environment, which may be used up. Returns
 * the file; null: there is nothing to store.
 */
export async function keepRefreshToken(network: Network, credential: Json, env: Environment): Promise<string | null> {
  const { platform } = network.rule;
  const envToken = env[`${platform.toUpperCase()}_REFRESH_TOKEN`];
  const token = Renewed.safeParse(credential).data?.refresh_token;
  if (!envToken || !token || token === envToken || !RENEWABLE.includes(platform)) return null;
  const file = join(FOLDER, `${platform}-refresh-token`);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(file, token, { mode: 0o600 });
  return file;
}

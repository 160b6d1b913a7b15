// An account of which only the refresh token is set: it is renewed first, as the publisher of a channel does.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { describeReason } from "../../src/domain/delivery/reason.ts";
import type { Json } from "../../src/domain/json.ts";
import type { Network, NetworkIO } from "../../src/networks/network.ts";
import { type Environment, NotSet } from "./settings.ts";

/** Networks whose refresh token is enough for a new access token; the others renew the access token itself. */
const RENEWABLE = ["x", "pinterest", "tiktok", "linkedin", "youtube"];
/** Out of every commit. */
const FOLDER = ".wrangler/live";

const Renewed = z.looseObject({ access_token: z.string().min(1), refresh_token: z.string().min(1).nullish() });

/** What is handed to `connect` then; null: more than the refresh token is set, or less. Throws `NotSet`. */
export async function renewedInput(network: Network, io: NetworkIO, env: Environment): Promise<Json> {
  const { platform } = network.rule;
  const of = (field: string) => env[`${platform.toUpperCase()}_${field}`];
  const [refreshToken, accountId] = [of("REFRESH_TOKEN"), of("ACCOUNT_ID")];
  if (!RENEWABLE.includes(platform) || network.refresh === undefined || !refreshToken || of("ACCESS_TOKEN"))
    return null;
  const name = platform.toUpperCase();
  if (io.app === null) throw new NotSet(`${name}_CLIENT_ID and ${name}_CLIENT_SECRET missing: only the app renews`);
  // TikTok's answer must be for the account that it was asked for.
  if (platform === "tiktok" && !accountId) throw new NotSet(`${name}_ACCOUNT_ID missing, the open_id of the account`);
  const credential = {
    access_token: "",
    refresh_token: refreshToken,
    issued_at: 0,
    expires_at: 0,
    refresh_expires_at: null,
    // Whose it is, is found out with the access token; each network has a name of its own for it.
    user_id: "",
    username: "",
    author: "",
    channel_id: "",
    open_id: accountId ?? "",
  };
  const answer = await network.refresh({ credential, io });
  if (answer.is !== "fresh") throw new NotSet(`${name}_REFRESH_TOKEN gives no access: ${describeReason(answer)}`);
  const { access_token, refresh_token } = Renewed.parse(answer.credential);
  return {
    access_token,
    refresh_token: refresh_token ?? refreshToken,
    ...(accountId ? { account_id: accountId } : {}),
  };
}

/**
 * Keeps the refresh token of a credential that is another than the one in the environment, which may be used up by now. Returns the
 * file; null: there is nothing to keep.
 */
export async function keepRefreshToken(network: Network, credential: Json, env: Environment): Promise<string | null> {
  const { platform } = network.rule;
  const given = env[`${platform.toUpperCase()}_REFRESH_TOKEN`];
  const token = Renewed.safeParse(credential).data?.refresh_token;
  if (!given || !token || token === given || !RENEWABLE.includes(platform)) return null;
  const file = join(FOLDER, `${platform}-refresh-token`);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(file, token, { mode: 0o600 });
  return file;
}

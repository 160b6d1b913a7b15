// Accounts that are linked to a Page, by a token of Facebook Login: instagram-platform, overview of both logins, and
// instagram-api-with-facebook-login/get-started, read 2026-11-27. The Page's own token publishes, and takes posts down.
import * as z from "zod";
import type { Json } from "../../domain/json.ts";
import type { Account, Connected, ConnectorContext, CredentialsRefused, NetworkIO, Refreshed } from "../network.ts";
import { type Answer, ask, CALL_TIMEOUT_MS, parseExactly, unavailable } from "../shared/http-call.ts";
import { readGraphError } from "../shared/meta/graph.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { handedOver, parseExpiry } from "../shared/oauth2.ts";
import { facebookApi } from "./api.ts";

/** How many Pages one answer may have, and how many answers are read. */
const PAGES_READ = "100";
const LISTS_MAX = 20;
const FIELDS = "id,name,access_token,instagram_business_account{id,username,name,profile_picture_url}";

// An id may be too large for a JavaScript number.
const Id = z.union([z.string().regex(/^\d+$/), z.int().transform(String)]);
const Linked = z.object({
  id: Id,
  username: z.string().min(1),
  name: z.string().optional(),
  profile_picture_url: z.string().optional(),
});
const Pages = z.object({
  data: z.array(z.object({ access_token: z.string().optional(), instagram_business_account: Linked.optional() })),
  paging: z.object({ next: z.string().optional(), cursors: z.object({ after: z.string() }).optional() }).optional(),
});

/** An account, and the token of the Page that it is linked to. */
export interface LinkedAccount {
  account: z.output<typeof Linked>;
  token: string;
}

const isDead = (answer: Answer) => [190, 102].includes(readGraphError(answer)?.code ?? 0);
const isForbidden = (answer: Answer) => {
  const { code = 0 } = readGraphError(answer) ?? {};
  return code === 3 || code === 10 || (code >= 200 && code <= 299);
};
export const get = (io: NetworkIO, path: string, query: Record<string, string>) =>
  ask(
    (signal) => io.fetch(`${facebookApi(io)}${path}?${new URLSearchParams(query)}`, { signal }),
    CALL_TIMEOUT_MS,
    parseExactly,
  );

const NEEDED = "`instagram_basic`, `instagram_content_publish`, `pages_show_list` and `pages_read_engagement`";
const refuse = (message: string, hint: string, field = "/access_token"): CredentialsRefused => ({
  is: "credentials_refused",
  field,
  message,
  hint,
});

/** Checks a token of a person, and finds the Page whose linked account it means. */
export async function connectByFacebook(input: Json, io: NetworkIO): Promise<Connected<MetaCredential>> {
  const { access_token, account_id, expires_at } = handedOver.parse(input);
  const linked = await fetchLinked(io, access_token);
  if (!Array.isArray(linked)) {
    if (isDead(linked))
      return refuse(
        "Facebook does not accept this token.",
        "Send a new one: the token of a person from Facebook Login.",
      );
    if (isForbidden(linked)) return refuse("The token lacks a permission.", `Create one with ${NEEDED}.`);
    return unavailable(linked, io.now());
  }
  const chosen = account_id === undefined ? linked : linked.filter(({ account }) => account.id === account_id);
  const [only, second] = chosen;
  if (only === undefined)
    return refuse(
      "No Page of this person has such a professional account on Instagram.",
      "Link the account to a Page, and let the person grant that Page.",
      account_id === undefined ? "/access_token" : "/account_id",
    );
  if (second !== undefined)
    return refuse(
      "The token covers several accounts.",
      `Set \`account_id\` to one of ${chosen.map(({ account }) => `${account.id} (@${account.username})`).join(", ")}.`,
      "/account_id",
    );
  const { account, token } = only;
  const probe = await get(io, `/${account.id}/content_publishing_limit`, {
    fields: "quota_usage,config",
    access_token: token,
  });
  if (isForbidden(probe)) return refuse("The token lacks a permission.", `Create one with ${NEEDED}.`);
  if (probe.is !== "answer" || probe.status !== 200) return unavailable(probe, io.now());
  return toConnected(only, parseExpiry(expires_at), io.now());
}

/** The account of a Page as it is connected. `expiresAt`: epoch milliseconds; null: the Page's token does not end. */
export const toConnected = (
  { account, token }: LinkedAccount,
  expiresAt: number | null,
  now: number,
): Account<MetaCredential> => ({
  is: "connected",
  accountId: account.id,
  handle: account.username,
  name: account.name ?? null,
  avatarUrl: account.profile_picture_url ?? null,
  profileUrl: `https://www.instagram.com/${account.username}/`,
  credential: {
    user_id: account.id,
    access_token: token,
    issued_at: now,
    expires_at: expiresAt,
    login: "facebook",
  },
  tokenExpiresAt: expiresAt,
  tier: "facebook_login",
});

/** The accounts of all Pages that the person granted, or the network's answer if the Pages cannot be read. */
export async function fetchLinked(io: NetworkIO, userToken: string): Promise<LinkedAccount[] | Answer> {
  const linked: LinkedAccount[] = [];
  let after: string | undefined;
  for (let lists = 0; lists < LISTS_MAX; lists++) {
    const query = { fields: FIELDS, limit: PAGES_READ, access_token: userToken };
    const answer = await get(io, "/me/accounts", after === undefined ? query : { ...query, after });
    const pages = answer.is === "answer" && answer.status === 200 ? Pages.safeParse(answer.body).data : undefined;
    if (pages === undefined) return answer;
    for (const { access_token: token, instagram_business_account: account } of pages.data)
      if (token !== undefined && account !== undefined) linked.push({ token, account });
    // `next` is an address with the token in it: only its cursor is used.
    after = pages.paging?.next === undefined ? undefined : pages.paging.cursors?.after;
    if (after === undefined) break;
  }
  return linked;
}

/** Asks whether the token is still accepted: nothing can renew it. */
export async function recheckPageToken({
  credential,
  io,
}: ConnectorContext<MetaCredential>): Promise<Refreshed<MetaCredential>> {
  const { user_id, access_token } = credential;
  const answer = await get(io, `/${user_id}`, { fields: "username", access_token });
  if (isDead(answer)) return { is: "rejected", error: "token_revoked", detail: "Facebook no longer accepts the token" };
  return answer.is === "answer" && answer.status === 200 ? { is: "fresh", credential } : unavailable(answer, io.now());
}

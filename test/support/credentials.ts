import { pageUrn } from "../../simulators/linkedin/directory.ts";

/** Makes the credentials of an account on each simulated network. */
export const CREDENTIALS: Record<string, (account: string) => { handle: string; credentials: object }> = {
  bluesky: (account) => ({
    handle: `${account}.bsky.social`,
    credentials: { identifier: `${account}.bsky.social`, app_password: "abcd-efgh-ijkl-mnop" },
  }),
  instagram: (account) => makeToken(account),
  linkedin: (account) => ({
    handle: `${account}-page`,
    credentials: { ...makeToken(account).credentials, account_id: pageUrn(account) },
  }),
  pinterest: (account) => makeToken(account),
  x: (account) => ({ ...makeToken(account), handle: `@${account}` }),
  telegram: (account) => ({
    handle: `@${account}`,
    credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: `@${account}` },
  }),
  tiktok: (account) => ({
    handle: account,
    credentials: { access_token: `act.${account}`, refresh_token: `rft.${account}` },
  }),
  threads: (account) => makeToken(account),
  youtube: (account) => ({
    handle: `@${account}`,
    credentials: { access_token: `ya29.${account}`, refresh_token: `1//${account}` },
  }),
  facebook: (account) => ({ handle: account, credentials: { access_token: `EAAuser-${account}` } }),
};
/** Makes tokens that the simulators accept for an account. */
const makeToken = (account: string) => ({
  handle: account,
  credentials: { access_token: `access-for-${account}`, refresh_token: `refresh-for-${account}` },
});

/** The options that each network requires in the override of its channel. */
export const REQUIRED_OPTIONS: Record<string, object> = {
  pinterest: { board: "101", link: "https://example.com/shop" },
};

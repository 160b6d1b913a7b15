// How an account on a simulated network is connected, and what a post on it cannot do without.
import { pageUrn } from "../../simulators/linkedin/directory.ts";

/** What the credentials of an account on each simulated network look like. */
export const CREDENTIALS: Record<string, (account: string) => { handle: string; credentials: object }> = {
  bluesky: (account) => ({
    handle: `${account}.bsky.social`,
    credentials: { identifier: `${account}.bsky.social`, app_password: "abcd-efgh-ijkl-mnop" },
  }),
  instagram: (account) => handedOver(account),
  linkedin: (account) => ({
    handle: `${account}-page`,
    credentials: { ...handedOver(account).credentials, account_id: pageUrn(account) },
  }),
  pinterest: (account) => handedOver(account),
  x: (account) => ({ ...handedOver(account), handle: `@${account}` }),
  telegram: (account) => ({
    handle: `@${account}`,
    credentials: { bot_token: `123456789:${"A".repeat(35)}`, chat_id: `@${account}` },
  }),
  tiktok: (account) => ({
    handle: account,
    credentials: { access_token: `act.${account}`, refresh_token: `rft.${account}` },
  }),
  threads: (account) => handedOver(account),
  youtube: (account) => ({
    handle: `@${account}`,
    credentials: { access_token: `ya29.${account}`, refresh_token: `1//${account}` },
  }),
  facebook: (account) => ({ handle: account, credentials: { access_token: `EAAuser-${account}` } }),
};
/** A token that somebody else's OAuth got for an account: the simulators take it. */
const handedOver = (account: string) => ({
  handle: account,
  credentials: { access_token: `access-for-${account}`, refresh_token: `refresh-for-${account}` },
});

/** What a network cannot do without in the override of its channel. */
export const REQUIRED_OPTIONS: Record<string, object> = {
  pinterest: { board: "101", link: "https://example.com/shop" },
};

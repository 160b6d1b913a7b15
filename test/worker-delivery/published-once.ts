// Publishes a post on one network, and takes it down.
import { expect } from "vitest";
import { TAKEDOWN_CALLS } from "../support/takedown-calls.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  finished,
  ledger,
  post,
  requiredOverrides,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

async function uploadFiles(account: Account, platform: string): Promise<string[]> {
  if (["youtube", "tiktok"].includes(platform)) return [(await uploadVideo(account, 100_000)).id];
  if (!["pinterest", "instagram"].includes(platform)) return [];
  return [(await uploadJpeg(account, { width: 400, height: 400 })).id];
}
const OPTIONS: Record<string, object> = {
  youtube: { title: "Film", made_for_kids: false },
  tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" },
};
const buildOverrides = (channel: ChannelBody) => ({
  ...requiredOverrides([channel]),
  ...(OPTIONS[channel.platform] === undefined ? {} : { [channel.id]: OPTIONS[channel.platform] }),
});

/** At Meta's networks, a post counts as missing only if another post of the account can be read. */
export const NEEDS_ANOTHER = ["facebook", "instagram", "threads"];
const OTHER_TEXT = "another post of the account";
export async function publishAnother({ key }: Account, channel: ChannelBody): Promise<void> {
  const { id } = await post(key, { text: OTHER_TEXT, channels: [channel.id] });
  expect((await finished(key, id)).status).toBe("published");
}
/** The network's entries for a channel, without that other post. */
export const getOwnEntries = async ({ handle }: ChannelBody) =>
  (await ledger(handle)).filter(({ text }) => text !== OTHER_TEXT);

export async function publishLive(platform: string, name?: string) {
  const account = await signUp();
  const channel = await connect(account.key, platform, name);
  if (platform === "facebook" || platform === "threads") await publishAnother(account, channel);
  const media = await uploadFiles(account, platform);
  const { id } = await post(account.key, {
    text: unique("down "),
    media,
    channels: [channel.id],
    overrides: buildOverrides(channel),
  });
  expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ status: "live" });
  return { account, channel, id };
}
export type Published = Awaited<ReturnType<typeof publishLive>>;

export const takeDown = ({ account, channel, id }: Published, key = account.key) =>
  call("DELETE", `/v1/posts/${id}/deliveries/${channel.id}`, { token: key });
export const getDeletedFlags = async (channel: ChannelBody) =>
  (await getOwnEntries(channel)).map((entry) => entry.deleted);
export const failTakeDownCall = ({ platform, handle }: ChannelBody, answer: object) =>
  fault({ platform, account: handle, call: TAKEDOWN_CALLS[platform], ...answer });

// Pictures of accounts: copied from the network when an account is connected, and served from our own address.
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { deleteDiscardedObjects } from "../../src/maintenance/expire-media.ts";
import { refreshAvatars } from "../../src/maintenance/refresh-avatars.ts";
import { sha256 } from "../support/digests.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { type Account, type ChannelBody, call, connect, PLATFORMS, signUp } from "../support/world.ts";

/** The networks whose connectors read no picture. LinkedIn's reads those of members, and these accounts are pages. */
const WITHOUT_PICTURE = ["linkedin", "telegram"];

const fetchPicture = (url: string | null) => exports.default.fetch(new Request(url ?? "http://media.crier.test/none"));
const readHash = async (url: string | null) => sha256(await (await fetchPicture(url)).arrayBuffer());
const listChannels = async ({ key }: Account) =>
  (await call<{ channels: ChannelBody[] }>("GET", "/v1/channels", { token: key })).body.channels;

/** Makes the picture of a channel due, and runs the sweeper's work on pictures until this one is done. */
async function refresh(channel: ChannelBody, address?: string): Promise<void> {
  await testEnv.DB.prepare("UPDATE channels SET avatar_at = 0, avatar_url = COALESCE(?, avatar_url) WHERE id = ?")
    .bind(address ?? null, channel.id)
    .run();
  await eventually(async () => {
    const ctx = compose(testEnv, () => {});
    await refreshAvatars(ctx, ctx.accounts);
    const row = await testEnv.DB.prepare("SELECT avatar_at FROM channels WHERE id = ?").bind(channel.id).first();
    expect(row?.avatar_at).toBeGreaterThan(Date.now());
  });
}

it.each(PLATFORMS)("serves the picture of an account on %s from our own address", async (platform) => {
  const account = await signUp();
  const channel = await connect(account.key, platform);
  if (WITHOUT_PICTURE.includes(platform)) {
    expect(channel.avatar_url).toBeNull();
    return;
  }
  expect(channel.avatar_url).toMatch(`http://media.crier.test/m/${account.workspace}/avatar/`);
  const response = await fetchPicture(channel.avatar_url);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("cache-control")).toContain("immutable");
  await response.arrayBuffer();
});

it("shows different pictures for different accounts", async () => {
  const account = await signUp();
  const first = await connect(account.key, "x");
  const second = await connect(account.key, "x");
  expect(await readHash(first.avatar_url)).not.toBe(await readHash(second.avatar_url));
});

it("does not count pictures against the plan", async () => {
  const account = await signUp();
  await connect(account.key, "x");
  const { body } = await call<{ media_bytes: { used: number } }>("GET", "/v1/usage", { token: account.key });
  expect(body.media_bytes.used).toBe(0);
});

it("deletes the picture together with its channel", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  const deleted = await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key });
  expect(deleted.status).toBe(204);
  await eventually(async () => {
    const ctx = compose(testEnv, () => {});
    await deleteDiscardedObjects(ctx, ctx.accounts);
    expect((await fetchPicture(channel.avatar_url)).status).toBe(404);
  });
  const objects = await testEnv.MEDIA?.list({ prefix: `m/${account.workspace}/avatar/` });
  expect(objects?.objects).toEqual([]);
});

it("copies a picture again when it is due", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  const before = await readHash(channel.avatar_url);
  await refresh(channel, "https://pbs.twimg.com/avatars/another.png");
  const [refreshed] = await listChannels(account);
  expect(await readHash(refreshed?.avatar_url ?? null)).not.toBe(before);
});

it("keeps the previous picture if the network no longer has it", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  await refresh(channel, "https://pbs.twimg.com/nothing/here.png");
  const [kept] = await listChannels(account);
  expect(kept?.avatar_url).toBe(channel.avatar_url);
  expect((await fetchPicture(channel.avatar_url)).status).toBe(200);
});

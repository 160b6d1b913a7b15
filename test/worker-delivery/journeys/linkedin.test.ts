import { expect, it } from "vitest";
import { memberUrn } from "../../../simulators/linkedin/directory.ts";
import { CHUNKS_DIVISOR } from "../../support/small-chunks.ts";
import {
  type Account,
  type ChannelBody,
  call,
  connect,
  fault,
  finished,
  ledger,
  post,
  signUp,
  uploadImage,
  uploadVideo,
} from "../../support/world.ts";

async function publish(account: Account, channel: ChannelBody, body: object, override?: object) {
  const overrides = override === undefined ? {} : { overrides: { [channel.id]: override } };
  const { id } = await post(account.key, { channels: [channel.id], ...body, ...overrides });
  const finishedPost = await finished(account.key, id);
  return { delivery: finishedPost.deliveries[0], entries: await ledger(channel.handle) };
}
/** A member channel. Its token was handed over by its owner and gives no profile. */
async function connectMember({ key }: Account): Promise<ChannelBody> {
  const name = `member${Date.now().toString(36)}`;
  const credentials = { access_token: `access-for-${name}`, account_id: memberUrn(name) };
  const body = { platform: "linkedin", handle: name, credentials };
  const answer = await call<ChannelBody>("POST", "/v1/channels", { token: key, body });
  expect(answer.status).toBe(201);
  return answer.body;
}

it("publishes a member's text to their connections, exactly as written", async () => {
  const account = await signUp();
  const text = "50 * 2 (roughly) = 100_ish | #crier";
  const channel = await connectMember(account);
  const { delivery, entries } = await publish(account, channel, { text }, { visibility: "CONNECTIONS" });
  expect(delivery).toMatchObject({ status: "live", attempts: 1, url: entries[0]?.url });
  expect(entries).toMatchObject([{ text, detail: { visibility: "CONNECTIONS" } }]);
});

it("publishes several images in order, with their alt text", async () => {
  const account = await signUp();
  const images = [];
  for (let i = 0; i < 3; i++) images.push(await uploadImage(account, { alt: `image ${i}` }));
  const channel = await connect(account.key, "linkedin");
  const { delivery, entries } = await publish(account, channel, { text: "three", media: images.map(({ id }) => id) });
  expect(delivery).toMatchObject({ status: "live", attempts: 1, url: entries[0]?.url });
  expect(entries).toMatchObject([
    { media: images.map(({ bytes, sha256 }, i) => ({ bytes, sha256, alt: `image ${i}` })) },
  ]);
});

/** The network rejects a video that is smaller than 75 kB. */
const CHUNK_BYTES = (4 * 1024 * 1024) / CHUNKS_DIVISOR;

it("uploads a video in chunks, and publishes it after processing", async () => {
  const account = await signUp();
  const video = await uploadVideo(account, 2 * CHUNK_BYTES);
  const channel = await connect(account.key, "linkedin");
  const override = { media_title: "A film" };
  const { delivery, entries } = await publish(account, channel, { text: "moving", media: [video.id] }, override);
  expect(delivery).toMatchObject({ status: "live", attempts: 1, url: entries[0]?.url });
  expect(entries).toMatchObject([
    { media: [{ bytes: video.bytes, sha256: video.sha256 }], detail: { title: "A film" } },
  ]);
});

it("publishes an article as a card with its thumbnail", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  const channel = await connect(account.key, "linkedin");
  const article = { source: "https://example.com/a", title: "An article", description: "What it says" };
  const body = { text: "read it", media: [image.id], post_type: "article" };
  const { delivery, entries } = await publish(account, channel, body, { article });
  expect(delivery).toMatchObject({ status: "live", attempts: 1 });
  expect(entries).toMatchObject([{ detail: { article }, media: [{ sha256: image.sha256 }] }]);
});

it("finds a page's post whose answer was lost, and does not publish it again", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "linkedin");
  await fault({ platform: "linkedin", account: channel.handle, call: "posts/create", do: "reset_after_accept" });
  const { delivery, entries } = await publish(account, channel, { text: "only once (please) #crier" });
  expect(entries).toHaveLength(1);
  expect(delivery).toMatchObject({ status: "live", attempts: 1, url: entries[0]?.url });
});

it("renews an expired token before publishing the post", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "linkedin");
  await fault({ platform: "linkedin", account: channel.handle, expire_token: true });
  const { delivery, entries } = await publish(account, channel, { text: "after the renewal" });
  expect(delivery).toMatchObject({ status: "live" });
  expect(entries).toHaveLength(1);
});

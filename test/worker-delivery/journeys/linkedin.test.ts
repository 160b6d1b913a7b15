import { expect, it } from "vitest";
import { memberUrn } from "../../../simulators/linkedin/directory.ts";
import { PARTS_DIVISOR } from "../../support/small-parts.ts";
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
  const done = await finished(account.key, id);
  return { delivery: done.deliveries[0], made: await ledger(channel.handle) };
}
/** A member, of whom handed-over tokens know nothing else. */
async function connectMember({ key }: Account): Promise<ChannelBody> {
  const name = `member${Date.now().toString(36)}`;
  const credentials = { access_token: `access-for-${name}`, account_id: memberUrn(name) };
  const body = { platform: "linkedin", handle: name, credentials };
  const answer = await call<ChannelBody>("POST", "/v1/channels", { token: key, body });
  expect(answer.status).toBe(201);
  return answer.body;
}

it("a text goes out for a member, to their connections, exactly as written", async () => {
  const account = await signUp();
  const text = "50 * 2 (roughly) = 100_ish | #crier";
  const channel = await connectMember(account);
  const { delivery, made } = await publish(account, channel, { text }, { visibility: "CONNECTIONS" });
  expect(delivery).toMatchObject({ status: "live", attempts: 1, url: made[0]?.url });
  expect(made).toMatchObject([{ text, detail: { visibility: "CONNECTIONS" } }]);
});

it("several images go out in order, with their alt text", async () => {
  const account = await signUp();
  const images = [];
  for (let i = 0; i < 3; i++) images.push(await uploadImage(account, { alt: `image ${i}` }));
  const channel = await connect(account.key, "linkedin");
  const { delivery, made } = await publish(account, channel, { text: "three", media: images.map(({ id }) => id) });
  expect(delivery).toMatchObject({ status: "live", attempts: 1, url: made[0]?.url });
  expect(made).toMatchObject([{ media: images.map(({ bytes, sha256 }, i) => ({ bytes, sha256, alt: `image ${i}` })) }]);
});

/** The network takes no video of less than 75 kB. */
const PART = (4 * 1024 * 1024) / PARTS_DIVISOR;

it("a video goes up in parts, and out once the network has worked on it", async () => {
  const account = await signUp();
  const video = await uploadVideo(account, 2 * PART);
  const channel = await connect(account.key, "linkedin");
  const override = { media_title: "A film" };
  const { delivery, made } = await publish(account, channel, { text: "moving", media: [video.id] }, override);
  expect(delivery).toMatchObject({ status: "live", attempts: 1, url: made[0]?.url });
  expect(made).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }], detail: { title: "A film" } }]);
});

it("an article goes out as a card with its thumbnail", async () => {
  const account = await signUp();
  const image = await uploadImage(account);
  const channel = await connect(account.key, "linkedin");
  const article = { source: "https://example.com/a", title: "An article", description: "What it says" };
  const body = { text: "read it", media: [image.id], post_type: "article" };
  const { delivery, made } = await publish(account, channel, body, { article });
  expect(delivery).toMatchObject({ status: "live", attempts: 1 });
  expect(made).toMatchObject([{ detail: { article }, media: [{ sha256: image.sha256 }] }]);
});

it("a page's post whose answer was lost is found, and not made again", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "linkedin");
  await fault({ platform: "linkedin", account: channel.handle, call: "posts/create", do: "reset_after_accept" });
  const { delivery, made } = await publish(account, channel, { text: "only once (please) #crier" });
  expect(made).toHaveLength(1);
  expect(delivery).toMatchObject({ status: "live", attempts: 1, url: made[0]?.url });
});

it("a token that has expired is renewed before the post goes out", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "linkedin");
  await fault({ platform: "linkedin", account: channel.handle, expire_token: true });
  const { delivery, made } = await publish(account, channel, { text: "after the renewal" });
  expect(delivery).toMatchObject({ status: "live" });
  expect(made).toHaveLength(1);
});

import { expect, it } from "vitest";
import {
  type Account,
  connect,
  fault,
  finished,
  ledger,
  post,
  signUp,
  uploadImage,
  uploadVideo,
} from "../../support/world.ts";

const OPTIONS = { board: "101", link: "https://example.com/shop", title: "A title" };

async function publish(account: Account, media: string) {
  const channel = await connect(account.key, "pinterest");
  const { id } = await post(account.key, {
    text: "A pin",
    media: [media],
    channels: [channel.id],
    overrides: { [channel.id]: OPTIONS },
  });
  return { channel, id };
}

it("publishes an image as a pin with its link, board, title and alt text", async () => {
  const account = await signUp();
  const image = await uploadImage(account, { width: 200, height: 300, alt: "a gradient" });
  const { channel, id } = await publish(account, image.id);
  const finishedPost = await finished(account.key, id);
  const [pin] = await ledger(channel.handle);
  expect(finishedPost.deliveries).toMatchObject([{ status: "live", attempts: 1, url: pin?.url }]);
  expect(pin).toMatchObject({
    text: "A pin",
    media: [{ bytes: image.bytes, sha256: image.sha256, alt: "a gradient" }],
    detail: OPTIONS,
  });
});

it("publishes a video as a pin after processing", async () => {
  const account = await signUp();
  const video = await uploadVideo(account, 400_000);
  const { channel, id } = await publish(account, video.id);
  expect((await finished(account.key, id)).deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
  expect(await ledger(channel.handle)).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }] }]);
});

it("finds a pin on its board whose answer was lost, and does not create it again", async () => {
  const account = await signUp();
  const image = await uploadImage(account, { width: 200, height: 300 });
  const channel = await connect(account.key, "pinterest");
  await fault({ platform: "pinterest", account: channel.handle, call: "pins/create", do: "reset_after_accept" });
  const { id } = await post(account.key, {
    media: [image.id],
    channels: [channel.id],
    overrides: { [channel.id]: OPTIONS },
  });
  const finishedPost = await finished(account.key, id);
  const entries = await ledger(channel.handle);
  expect(entries).toHaveLength(1);
  expect(finishedPost.deliveries).toMatchObject([{ status: "live", attempts: 1, url: entries[0]?.url }]);
});

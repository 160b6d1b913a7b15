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

it("an image becomes a pin with its link, board, title and alt text", async () => {
  const account = await signUp();
  const image = await uploadImage(account, { width: 200, height: 300, alt: "a gradient" });
  const { channel, id } = await publish(account, image.id);
  const done = await finished(account.key, id);
  const [pin] = await ledger(channel.handle);
  expect(done.deliveries).toMatchObject([{ status: "live", attempts: 1, url: pin?.url }]);
  expect(pin).toMatchObject({
    text: "A pin",
    media: [{ bytes: image.bytes, sha256: image.sha256, alt: "a gradient" }],
    detail: OPTIONS,
  });
});

it("a video becomes a pin once the network has worked on it", async () => {
  const account = await signUp();
  const video = await uploadVideo(account, 400_000);
  const { channel, id } = await publish(account, video.id);
  expect((await finished(account.key, id)).deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
  expect(await ledger(channel.handle)).toMatchObject([{ media: [{ bytes: video.bytes, sha256: video.sha256 }] }]);
});

it("a pin whose answer was lost is found on its board, and not made again", async () => {
  const account = await signUp();
  const image = await uploadImage(account, { width: 200, height: 300 });
  const channel = await connect(account.key, "pinterest");
  await fault({ platform: "pinterest", account: channel.handle, call: "pins/create", do: "reset_after_accept" });
  const { id } = await post(account.key, {
    media: [image.id],
    channels: [channel.id],
    overrides: { [channel.id]: OPTIONS },
  });
  const done = await finished(account.key, id);
  const made = await ledger(channel.handle);
  expect(made).toHaveLength(1);
  expect(done.deliveries).toMatchObject([{ status: "live", attempts: 1, url: made[0]?.url }]);
});

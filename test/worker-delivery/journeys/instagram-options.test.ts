// Instagram's options for files and comments, from the API to the network.
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import {
  type Account,
  call,
  connect,
  finished,
  getPost,
  ledger,
  post,
  signUp,
  uploadImage,
  uploadJpeg,
  uploadVideo,
} from "../../support/world.ts";

interface Answered {
  deliveries: { files: object[] }[];
  violations: { field?: string }[];
}
const runDry = (account: Account, body: object) =>
  call<Answered>("POST", "/v1/posts", { token: account.key, body: { ...body, dry_run: true } });

it("a reel has its cover and its tagged people, and its comments are turned off once it is live", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "instagram");
  const [video, cover] = [await uploadVideo(account, 300_000), await uploadJpeg(account)];
  const overrides = { [channel.id]: { cover_media: cover.id, user_tags: [{ username: "alice" }], comments: false } };
  const body = { text: "a reel", channels: [channel.id], media: [video.id], overrides };
  const dry = await runDry(account, body);
  expect(dry.body.deliveries[0]?.files).toMatchObject([{ media: video.id }, { media: cover.id }]);
  const { id } = await post(account.key, body);
  expect((await finished(account.key, id)).deliveries[0]).toMatchObject({ status: "live" });
  const [entry] = await ledger(channel.handle);
  expect(entry?.shown).toMatchObject({ cover: cover.sha256, facts: { Tagged: "@alice" } });
  await eventually(async () =>
    expect((await getPost(account.key, id)).deliveries[0]?.additions).toEqual({ comments: "done" }),
  );
  expect((await ledger(channel.handle))[0]?.shown.facts).toMatchObject({ Comments: "off" });
});

it("everything that does not fit is refused at once: a cover's format, places, and what a story has none of", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "instagram");
  const [video, png, image] = [
    await uploadVideo(account, 300_000),
    await uploadImage(account),
    await uploadJpeg(account),
  ];
  const refuse = async (media: string, options: object, fields: object = {}) => {
    const overrides = { [channel.id]: options };
    const { status, body } = await runDry(account, { channels: [channel.id], media: [media], overrides, ...fields });
    expect(status, JSON.stringify(body)).toBe(422);
    return body.violations.map(({ field = "" }) => field.replace(`/overrides/${channel.id}/`, ""));
  };
  const tags = [{ username: "alice", x: 0.5, y: 0.5 }];
  expect(await refuse(video.id, { cover_media: png.id, user_tags: tags })).toEqual(["cover_media", "user_tags/0/x"]);
  expect(await refuse(image.id, { cover_media: image.id, audio_name: "Waves" })).toEqual(["cover_media", "audio_name"]);
  expect(await refuse(image.id, { comments: false }, { post_type: "story" })).toEqual(["comments"]);
});

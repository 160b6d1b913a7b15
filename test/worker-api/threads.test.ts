// Threads when they are written, checked and shown: each part is treated like a text of its own.
import { describe, expect, it } from "vitest";
import { tomorrow, tomorrowNoon } from "../support/dates.ts";
import {
  type Account,
  type Answer,
  call,
  connect,
  getPost,
  type PostBody,
  post,
  signUp,
  unique,
  uploadJpeg,
  uploadVideo,
} from "../support/world.ts";

interface RefusalBody {
  error: string;
  field: string;
  violations: { code: string; field: string; platform?: string; limit?: number; actual?: number; over_by?: number }[];
}
const create = <Body = RefusalBody>({ key }: Account, body: object): Promise<Answer<Body>> =>
  call<Body>("POST", "/v1/posts", { token: key, body });
const summarize = ({ violations }: RefusalBody) =>
  violations.map(({ code, field, platform }) => `${platform} ${field} ${code}`);

describe("a refused thread", () => {
  it("each part of a thread is checked like a text of its own, on each channel", async () => {
    const account = await signUp();
    const [x, bluesky] = [await connect(account.key, "x"), await connect(account.key, "bluesky")];
    const video = await uploadVideo(account, 4_096);
    const image = await uploadJpeg(account);
    const { status, body } = await create(account, {
      text: "one",
      channels: [x.id, bluesky.id],
      thread: [
        { text: "a".repeat(290), media: [image.id, video.id] },
        { text: " " },
        { text: "b".repeat(301), media: ["med_none", image.id, image.id] },
      ],
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({ error: "unknown_media", field: "/thread/2/media/0" });
    expect(summarize(body)).toEqual([
      "undefined /thread/2/media/0 unknown_media",
      "undefined /thread/2/media/2 duplicate_media",
      "x /thread/0/text text_too_long",
      "x /thread/0/media mixed_media_not_allowed",
      "x /thread/1/text text_required",
      "x /thread/2/text text_too_long",
      "bluesky /thread/0/media mixed_media_not_allowed",
      "bluesky /thread/1/text text_required",
      "bluesky /thread/2/text text_too_long",
    ]);
    expect(body.violations[2]).toMatchObject({ limit: 280, actual: 290, over_by: 10 });
  });

  it("a network without threads is named in the refusal, unless its channel has `thread: []`", async () => {
    const account = await signUp();
    const [bluesky, telegram] = [await connect(account.key, "bluesky"), await connect(account.key, "telegram")];
    const body = {
      text: "one",
      channels: [bluesky.id, telegram.id],
      thread: [{ text: "two" }],
      publish_at: tomorrow(),
    };
    const refused = await create(account, body);
    expect(refused).toMatchObject({
      status: 422,
      body: {
        error: "thread_not_offered",
        field: "/thread",
        violations: [{ channel: telegram.id, platform: "telegram" }],
      },
    });
    const overridden = await create(account, { ...body, overrides: { [telegram.id]: { thread: [{ text: "own" }] } } });
    expect(overridden.body).toMatchObject({ error: "thread_not_offered", field: `/overrides/${telegram.id}/thread` });
    const { status, body: created } = await create<PostBody>(account, {
      ...body,
      overrides: { [telegram.id]: { thread: [] } },
    });
    expect(status).toBe(201);
    expect(created.deliveries.map(({ parts }) => parts?.length ?? null)).toEqual([2, null]);
  });

  it("an article cannot have a thread", async () => {
    const account = await signUp();
    const x = await connect(account.key, "x");
    const overrides = { [x.id]: { title: "Title" } };
    expect(
      await create(account, {
        text: "one",
        channels: [x.id],
        post_type: "article",
        overrides,
        thread: [{ text: "two" }],
      }),
    ).toMatchObject({ status: 422, body: { error: "thread_not_offered", field: "/thread" } });
  });

  it.each<[string, unknown, string, string]>([
    [
      "more parts than any network accepts",
      Array.from({ length: 25 }, () => ({ text: "a" })),
      "invalid_field",
      "/thread",
    ],
    ["a string instead of a list", "two", "invalid_field", "/thread"],
    ["a part that is a string", ["two"], "invalid_field", "/thread/0"],
    ["a part without a text", [{}], "missing_field", "/thread/0/text"],
    ["an unknown field in a part", [{ text: "two", alt: "a" }], "unknown_field", "/thread/0/alt"],
    ["files that are not a list", [{ text: "two", media: "med_1" }], "invalid_field", "/thread/0/media"],
  ])("a thread is refused with %s", async (_, thread, error, field) => {
    const account = await signUp();
    const bluesky = await connect(account.key, "bluesky");
    const refused = await create(account, { text: "one", channels: [bluesky.id], thread });
    expect(refused).toMatchObject({ status: 422, body: { error, field } });
    const overrides = { [bluesky.id]: { thread } };
    expect(await create(account, { text: "one", channels: [bluesky.id], overrides })).toMatchObject({
      status: 422,
      body: { error, field: `/overrides/${bluesky.id}${field}` },
    });
  });
});

it("the rule has the number of further parts that a network accepts", async () => {
  const { body } = await call<{ platforms: { platform: string; thread?: object }[] }>("GET", "/v1/platforms");
  const offered = body.platforms.flatMap(({ platform, thread }) => (thread === undefined ? [] : [[platform, thread]]));
  expect(Object.fromEntries(offered)).toEqual({
    x: { max_parts: 24 },
    bluesky: { max_parts: 24 },
    threads: { max_parts: 24 },
  });
});

it("a dry run shows each part with its length and the price of all parts, and a thread counts as one post of the month", async () => {
  const account = await signUp();
  const [x, bluesky, telegram] = [
    await connect(account.key, "x"),
    await connect(account.key, "bluesky"),
    await connect(account.key, "telegram"),
  ];
  const image = await uploadJpeg(account, { alt: "a cat" });
  const draft = {
    text: "one",
    channels: [x.id, bluesky.id, telegram.id],
    thread: [{ text: "see https://example.com/", media: [image.id] }, { text: "three" }],
    overrides: { [bluesky.id]: { thread: [{ text: "own" }] }, [telegram.id]: { thread: [] } },
    publish_at: tomorrowNoon(),
  };
  const { status, body } = await create<{
    deliveries: { parts: object[] | null; estimated_cost_usd: number | null; cost: object | null }[];
    warnings: { code: string; message: string }[];
  }>(account, { ...draft, dry_run: true });
  expect(status).toBe(200);
  expect(body.deliveries.map(({ parts, estimated_cost_usd, cost }) => ({ parts, estimated_cost_usd, cost }))).toEqual([
    {
      parts: [
        { position: 0, text: "one", text_length: 3, text_limit: 280, media: 0 },
        { position: 1, text: "see https://example.com/", text_length: 27, text_limit: 280, media: 1 },
        { position: 2, text: "three", text_length: 5, text_limit: 280, media: 0 },
      ],
      estimated_cost_usd: 0.28,
      cost: { publish: 0.235, rechecks: 0.045, metrics: 0 },
    },
    {
      parts: [
        { position: 0, text: "one", text_length: 3, text_limit: 300, media: 0 },
        { position: 1, text: "own", text_length: 3, text_limit: 300, media: 0 },
      ],
      estimated_cost_usd: null,
      cost: null,
    },
    { parts: null, estimated_cost_usd: null, cost: null },
  ]);
  expect(body.warnings).toMatchObject([{ code: "link_price", message: expect.stringContaining("part 2 of 3") }]);
  const usage = () => call<{ posts: { used: number } }>("GET", "/v1/usage", { token: account.key });
  const before = (await usage()).body;
  await post(account.key, draft);
  expect((await usage()).body.posts.used).toBe(before.posts.used + 1);
});

it("a thread is edited as a whole: an omitted thread stays, null and [] remove it, and drafts keep it", async () => {
  const account = await signUp();
  const bluesky = await connect(account.key, "bluesky");
  const image = await uploadJpeg(account);
  const created = await post(account.key, { text: "one", thread: [{ text: "" }], draft: true });
  const patch = (body: object) =>
    call<PostBody & RefusalBody>("PATCH", `/v1/posts/${created.id}`, { token: account.key, body });
  expect(created).toMatchObject({ status: "draft", thread: [{ text: "", media: [] }] });
  const released = { draft: false, channels: [bluesky.id], publish_at: tomorrow() };
  expect(await patch(released)).toMatchObject({
    status: 422,
    body: { error: "text_required", field: "/thread/0/text" },
  });
  const thread = [{ text: "two", media: [image.id] }, { text: "three" }];
  expect((await patch({ ...released, thread })).body).toMatchObject({
    status: "scheduled",
    thread: [
      { text: "two", media: [image.id] },
      { text: "three", media: [] },
    ],
    deliveries: [{ parts: [{ status: "pending" }, { status: "pending" }, { status: "pending" }] }],
  });
  // The file is in use, so it stays.
  expect((await call("DELETE", `/v1/media/${image.id}`, { token: account.key })).status).toBe(409);
  expect((await patch({ text: "uno" })).body.thread).toHaveLength(2);
  expect((await patch({ thread: [] })).body).toMatchObject({ thread: null, deliveries: [{ parts: null }] });
  expect((await call("DELETE", `/v1/media/${image.id}`, { token: account.key })).status).toBe(204);
  expect((await patch({ thread: [{ text: "again" }] })).body.thread).toHaveLength(1);
  expect((await patch({ thread: null })).body).toMatchObject({ thread: null });
  expect(await getPost(account.key, created.id)).toMatchObject({ thread: null });
});

it("posts are found by the words of their threads, also by those of one channel", async () => {
  const account = await signUp();
  const bluesky = await connect(account.key, "bluesky");
  const [word, overrideWord] = [unique("alpha"), unique("beta")];
  const body = { text: "one", channels: [bluesky.id], publish_at: tomorrow() };
  const first = await post(account.key, { ...body, thread: [{ text: `Two ${word}` }] });
  const second = await post(account.key, {
    ...body,
    overrides: { [bluesky.id]: { thread: [{ text: overrideWord }] } },
  });
  const find = async (q: string) =>
    (await call<{ posts: PostBody[] }>("GET", `/v1/posts?q=${q}`, { token: account.key })).body.posts.map(
      ({ id }) => id,
    );
  expect(await find(word)).toEqual([first.id]);
  expect(await find(overrideWord)).toEqual([second.id]);
});

it("the alt text of a file in a thread is checked by the networks that get the file", async () => {
  const account = await signUp();
  const x = await connect(account.key, "x");
  const image = await uploadJpeg(account);
  await post(account.key, {
    text: "one",
    channels: [x.id],
    thread: [{ text: "two", media: [image.id] }],
    publish_at: tomorrow(),
  });
  const alt = "a".repeat(1_001);
  expect(await call("PATCH", `/v1/media/${image.id}`, { token: account.key, body: { alt } })).toMatchObject({
    status: 422,
    body: { error: "alt_too_long" },
  });
});

it("the same text with another thread is not a duplicate", async () => {
  const account = await signUp();
  const bluesky = await connect(account.key, "bluesky");
  const body = { text: unique("again "), channels: [bluesky.id], publish_at: tomorrow() };
  await post(account.key, { ...body, thread: [{ text: "two" }] });
  expect((await post(account.key, { ...body, thread: [{ text: "other" }] })).warnings).toEqual([]);
  expect((await post(account.key, { ...body, thread: [{ text: "two" }] })).warnings).toMatchObject([
    { code: "possible_duplicate" },
  ]);
});

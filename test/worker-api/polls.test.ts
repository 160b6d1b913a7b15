// Polls when they are written, checked, shown, published, exported and left out on a channel.
import { describe, expect, it } from "vitest";
import { tomorrowNoon } from "../support/dates.ts";
import {
  type Account,
  type Answer,
  call,
  connect,
  finished,
  getPost,
  ledger,
  type PostBody,
  post,
  signUp,
  uploadJpeg,
} from "../support/world.ts";

interface RefusalBody {
  error: string;
  field: string;
  violations: Record<string, unknown>[];
}
const create = <Body = RefusalBody>({ key }: Account, body: object): Promise<Answer<Body>> =>
  call<Body>("POST", "/v1/posts", { token: key, body });
const POLL = { question: "Which one shall we build?", options: ["A loom", "An engine"], minutes: 1_440 };

describe("a refused poll", () => {
  it("every rule that it breaks is reported at once, for each channel", async () => {
    const account = await signUp();
    const { key } = account;
    const channels = [];
    for (const platform of ["x", "linkedin", "threads", "telegram", "bluesky"])
      channels.push(await connect(key, platform));
    const image = await uploadJpeg(account);
    const poll = { question: "q".repeat(200), options: ["o".repeat(31), "b", "c", "d", "e"], minutes: 4_321 };
    const { status, body } = await create(account, {
      channels: channels.map(({ id }) => id),
      text: "We are choosing.",
      media: [image.id],
      poll,
    });
    expect(status).toBe(422);
    const summary = body.violations
      .filter(({ code }) => code === "poll_not_offered")
      .map(({ platform, field, limit, actual, unit }) => `${platform} ${field} ${limit} ${actual} ${unit}`);
    expect(summary).toEqual([
      "x /media 0 1 files",
      "x /poll/options 4 5 entries",
      "x /poll/options/0 25 31 characters",
      "linkedin /media 0 1 files",
      "linkedin /poll/options 4 5 entries",
      "linkedin /poll/question 140 200 characters",
      "linkedin /poll/options/0 30 31 characters",
      "linkedin /poll/minutes 4320 4321 minutes",
      "threads /media 0 1 files",
      "threads /poll/options 4 5 entries",
      "threads /poll/options/0 25 31 characters",
      "threads /poll/minutes 1440 4321 minutes",
      "telegram /media 0 1 files",
      "bluesky /poll undefined undefined undefined",
    ]);
    expect(body.violations.find(({ platform }) => platform === "bluesky")).toMatchObject({
      message: "bluesky does not support polls.",
      hint: expect.stringContaining("`poll: null`"),
    });
  });

  it.each([
    ["/poll/options/1", { ...POLL, options: ["a", " "] }],
    ["/poll/options", { ...POLL, options: [] }],
    ["/poll/minutes", { ...POLL, minutes: 0 }],
    ["/poll/question", { ...POLL, question: "two\nlines" }],
    ["/poll/answers", { ...POLL, answers: [] }],
  ])("its shape is checked at %s", async (field, poll) => {
    const account = await signUp();
    const { id } = await connect(account.key, "x");
    expect(await create(account, { channels: [id], text: "x", poll })).toMatchObject({ status: 422, body: { field } });
  });

  it("a quiz has to name an option of its poll, and needs a poll", async () => {
    const account = await signUp();
    const { id } = await connect(account.key, "telegram");
    const overrides = { [id]: { quiz: { correct: 2 } } };
    expect(await create(account, { channels: [id], text: "x", poll: POLL, overrides })).toMatchObject({
      status: 422,
      body: { violations: [{ code: "invalid_option", field: `/overrides/${id}/quiz/correct`, limit: 1, actual: 2 }] },
    });
    expect(await create(account, { channels: [id], text: "x", overrides })).toMatchObject({
      status: 422,
      body: { violations: [{ code: "invalid_option", option: "quiz", option_needs: { poll: true } }] },
    });
  });
});

describe("a poll", () => {
  it("goes out on each network with polls, and is left out where its channel has null", async () => {
    const account = await signUp();
    const channels = [];
    for (const platform of ["x", "linkedin", "threads", "telegram", "bluesky"])
      channels.push(await connect(account.key, platform));
    const [x, , , , bluesky] = channels;
    const overrides = {
      [bluesky?.id ?? ""]: { poll: null },
      [x?.id ?? ""]: { poll: { ...POLL, options: ["Loom", "Engine", "Neither"], minutes: 5 } },
    };
    const body = { channels: channels.map(({ id }) => id), text: "We are choosing.", poll: POLL, overrides };
    const dry = await create<{ deliveries: { platform: string; text: string; poll: unknown }[] }>(account, {
      ...body,
      dry_run: true,
    });
    const texts = [
      "We are choosing.\n\nWhich one shall we build?",
      "We are choosing.",
      "We are choosing.\n\nWhich one shall we build?",
      "We are choosing.",
      "We are choosing.",
    ];
    expect(dry.body.deliveries.map(({ text }) => text)).toEqual(texts);
    expect(dry.body.deliveries[4]?.poll).toBeNull();
    const { id } = await post(account.key, body);
    expect((await finished(account.key, id)).status).toBe("published");
    const entries = await Promise.all(channels.map(async ({ handle }) => (await ledger(handle))[0]));
    expect(entries.map((entry) => entry?.text)).toEqual(texts);
    expect(entries.map((entry) => Object(entry?.detail.poll).options)).toEqual([
      ["Loom", "Engine", "Neither"],
      POLL.options,
      POLL.options,
      POLL.options,
      undefined,
    ]);
  });

  it("is content enough without a text, and the text of a channel without it is required", async () => {
    const account = await signUp();
    const [telegram, bluesky] = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
    const { id } = await post(account.key, { channels: [telegram.id], poll: POLL });
    expect((await finished(account.key, id)).status).toBe("published");
    expect(await ledger(telegram.handle)).toMatchObject([{ text: "", detail: { poll: { question: POLL.question } } }]);
    const overrides = { [bluesky.id]: { poll: null } };
    expect(await create(account, { channels: [telegram.id, bluesky.id], poll: POLL, overrides })).toMatchObject({
      status: 422,
      body: { violations: [{ code: "text_required", channel: bluesky.id }] },
    });
  });

  it("can be changed and removed by an edit, is kept by an edit of something else, and is found by its words", async () => {
    const account = await signUp();
    const { key } = account;
    const { id: channel } = await connect(key, "x");
    const { id } = await post(key, { channels: [channel], text: "choose", poll: POLL, publish_at: tomorrowNoon() });
    const patch = (body: object) => call<PostBody>("PATCH", `/v1/posts/${id}`, { token: key, body });
    expect((await patch({ text: "other" })).body.poll).toEqual(POLL);
    const found = await call<{ posts: PostBody[] }>("GET", "/v1/posts?q=loom", { token: key });
    expect(found.body.posts.map((each) => each.id)).toEqual([id]);
    const before = (await getPost(key, id)).content_tag;
    const longer = { ...POLL, minutes: 60 };
    const edited = (await patch({ poll: longer })).body;
    expect([edited.poll, edited.content_tag === before]).toEqual([longer, false]);
    expect((await patch({ poll: null })).body.poll).toBeNull();
  });

  it("is imported from lines and exported", async () => {
    const { key } = await signUp();
    const { id: channel } = await connect(key, "linkedin");
    const line = JSON.stringify({ channels: [channel], text: "choose", poll: POLL, draft: true });
    const headers = { "content-type": "application/x-ndjson" };
    const imported = await call<{ created: number }>("POST", "/v1/posts/import", { token: key, body: line, headers });
    expect(imported).toMatchObject({ status: 200, body: { created: 1 } });
    const exported = await call("GET", "/v1/export", { token: key });
    expect(JSON.stringify(exported)).toContain("A loom");
  });
});

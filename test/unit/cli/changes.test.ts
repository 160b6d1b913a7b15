// The commands that change posts, files, webhooks and channels: what they send and print, and their exit codes.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMANDS } from "../../../cli/commands.ts";
import { COMMANDS_OF_CALLS } from "../../../cli/output/call-names.ts";
import { route } from "../../../cli/router.ts";
import { operations } from "../../../src/contract/index.ts";
import { answerFrom, runWith } from "./run.ts";
import { json } from "./service.ts";

const CHANNELS = ["telegram", "bluesky"].map((platform, i) => ({
  id: `ch_${i + 1}`,
  platform,
  handle: `@${platform}`,
  state: "connected",
}));
const [SAMPLE] = Object(operations["posts.get"].result.meta()).examples;
const delivery = (channel: string, status: string) => ({ ...SAMPLE.deliveries[0], channel, status });
const POST = {
  ...SAMPLE,
  id: "post_1",
  rev: 4,
  status: "partially_published",
  text: "Hello",
  media: [],
  channels: ["ch_1", "ch_2"],
  overrides: { ch_1: { text: "Mine", silent: true } },
  labels: [],
  timezone: "UTC",
  publish_at: null,
  due_at: null,
  deliveries: [delivery("ch_1", "live"), delivery("ch_2", "failed")],
};
const MEDIA = {
  id: "med_1",
  kind: "image",
  name: "engine.jpg",
  url: "https://media.example.com/1",
  bytes: 482_133,
  keep: true,
  tags: ["product"],
  created_at: "2026-11-21T08:30:00.000Z",
};
const WEBHOOK = {
  id: "wh_1",
  url: "https://hooks.example.com/crier",
  events: ["delivery.failed"],
  state: "enabled",
  disabled_reason: null,
  failing_since: null,
};
const ANSWERS: Record<string, unknown> = {
  "GET /v1/channels": { channels: CHANNELS, next: null },
  "DELETE /v1/channels/ch_2": null,
  "GET /v1/workspace": { timezone: "Europe/Berlin" },
  "GET /v1/posts/post_1": POST,
  "PATCH /v1/posts/post_1": POST,
  "POST /v1/posts/post_1/deliveries/ch_2/retry": POST.deliveries[1],
  "GET /v1/media": { media: [MEDIA], next: null },
  "PATCH /v1/media/med_1": MEDIA,
  "DELETE /v1/media/med_1": null,
  "GET /v1/webhooks": { webhooks: [WEBHOOK], next: null },
  "POST /v1/webhooks": { ...WEBHOOK, secret: "whsec_1", warnings: [] },
  "PATCH /v1/webhooks/wh_1": { ...WEBHOOK, warnings: [{ message: "It looks like a file." }] },
  "POST /v1/webhooks/wh_1/test": { outcome: "failed", response_code: 500, ms: 12 },
  "DELETE /v1/webhooks/wh_1": null,
};
const crier = (...words: string[]) => runWith(answerFrom(ANSWERS), words);

it("edits what is given, keeps the other overrides, and names the revision that it has seen", async () => {
  const edited = await crier("edit", "post_1", "Better", "--at", "2026-12-01 9:00", "--set", "@telegram.text=Short");
  expect(edited.sent).toEqual([
    [
      "PATCH /v1/posts/post_1",
      { text: "Better", publish_at: "2026-12-01T09:00", overrides: { ch_1: { text: "Short", silent: true } } },
    ],
  ]);
  expect((await crier("edit", "post_1", "--release", "-l", "winter")).sent).toEqual([
    ["PATCH /v1/posts/post_1", { draft: false, labels: ["winter"] }],
  ]);
  const without = await crier("edit", "post_1", "--set", "@bluesky.thread=none", "--set", "@bluesky.poll=none");
  expect(without.sent[0]?.[1]).toEqual({ overrides: { ...POST.overrides, ch_2: { thread: [], poll: null } } });
});

it("sends If-Match with the revision that was read, or with --rev", async () => {
  const revs: unknown[] = [];
  for (const words of [[], ["--rev", "2"]]) {
    await runWith(
      (response, call, request) => {
        if (call.method === "PATCH") revs.push(call.headers["if-match"]);
        answerFrom(ANSWERS)(response, call, request);
      },
      ["edit", "post_1", "New", ...words],
    );
  }
  expect(revs).toEqual(['"4"', '"2"']);
});

it("retries the deliveries that failed, or the channels that are named", async () => {
  expect(await crier("retry", "post_1")).toMatchObject({
    code: 0,
    sent: [["POST /v1/posts/post_1/deliveries/ch_2/retry", {}]],
    err: "Retrying @bluesky on bluesky.\n",
  });
  expect((await crier("retry", "post_1", "-c", "bluesky", "--not-published")).sent).toEqual([
    ["POST /v1/posts/post_1/deliveries/ch_2/retry", { confirm_not_published: true }],
  ]);
  const whole = { ...POST, deliveries: [delivery("ch_1", "live")] };
  const answered = await runWith(answerFrom({ ...ANSWERS, "GET /v1/posts/post_1": whole }), ["retry", "post_1"]);
  expect(answered).toMatchObject({ code: 4, sent: [] });
});

it("lists, changes and deletes files", async () => {
  expect((await crier("media", "--search", "engine")).out).toMatch(/engine\.jpg +image +482 kB +.* ago +yes +product/);
  expect((await crier("media", "change", "med_1", "--alt", "", "--keep", "--tag", "a", "--tag", "b")).sent).toEqual([
    ["PATCH /v1/media/med_1", { alt: null, tags: ["a", "b"], keep: true }],
  ]);
  expect((await crier("media", "change", "med_1", "--release")).sent[0]?.[1]).toEqual({ keep: false });
  expect(JSON.parse((await crier("media", "delete", "med_1", "--json")).out)).toEqual({ deleted: "med_1" });
});

it("uploads nothing if the service refuses the description of a file", async () => {
  const refusal = { error: "invalid_field", message: "The tag is too long.", request_id: "r" };
  const path = join(import.meta.dirname, "../../../docs/pictures/post-light.png");
  const words = ["media", "upload", path, "--tag", "x", "--keep"];
  const refused = await runWith((response) => json(response, 422, refusal), words);
  expect(refused).toMatchObject({ code: 4, out: "" });
  expect(refused.sent.map(([call]) => call)).toEqual(["POST /v1/media/upload-url"]);
  expect(refused.sent[0]?.[1]).toMatchObject({ name: "post-light.png", tags: ["x"], keep: true });
});

it("lists, adds, changes, tests and deletes webhooks, and prints a secret alone on stdout", async () => {
  expect((await crier("webhooks")).out).toMatch(/hooks\.example\.com\/crier +enabled +delivery\.failed +wh_1/);
  const added = await crier("webhooks", "add", WEBHOOK.url, "--event", "delivery.failed");
  expect(added).toMatchObject({
    out: "whsec_1\n",
    sent: [["POST /v1/webhooks", { url: WEBHOOK.url, events: ["delivery.failed"] }]],
  });
  const changed = await crier("webhooks", "change", "wh_1", "--address", "https://hooks.example.net");
  expect(changed).toMatchObject({ code: 0, err: "warning: It looks like a file.\n" });
  expect(await crier("webhooks", "test", "wh_1")).toMatchObject({ code: 7, out: "failed: status 500 after 12 ms.\n" });
  expect((await crier("webhooks", "delete", "wh_1")).out).toBe("Deleted wh_1.\n");
});

it("disconnects the channel that is named", async () => {
  expect(await crier("channels", "remove", "bluesky")).toMatchObject({
    code: 0,
    out: "Disconnected @bluesky on bluesky.\n",
    sent: [["DELETE /v1/channels/ch_2", null]],
  });
});

it.each([
  [["edit", "post_1"]],
  [["edit", "post_1", "--release", "--draft"]],
  [["edit", "post_1", "--at", "soon"]],
  [["edit", "post_1", "--set", "text"]],
  [["media", "change", "med_1"]],
  [["media", "change", "med_1", "--keep", "--release"]],
  [["webhooks", "change", "wh_1"]],
  [["webhooks", "add", "https://hooks.example.com", "--event", "delivery.lost"]],
  [["channels", "remove", "mastodon"]],
])("crier %j is refused before anything is sent, and with --json as JSON", async (words) => {
  const { code, out, err, sent } = await crier(...words, "--json");
  expect({ code, sent }).toEqual({ code: 2, sent: [] });
  const { error, message } = JSON.parse(out);
  expect(error).toBe("usage");
  expect(err).toContain(message.slice(0, 40));
});

it("names the whole command in the hint to a wrong flag", async () => {
  expect((await crier("webhooks", "add", "--evnt", "a")).err).toContain("crier webhooks add --help");
});

it("shows commands in place of the API calls that a hint names", async () => {
  const hint = "`GET /v1/slots` lists the slots. Add one with `PUT /v1/slots`.";
  const body = { error: "no_free_slot", message: "No slot is free.", hint, request_id: "r" };
  const { err } = await runWith((response) => json(response, 422, body), ["slots"]);
  expect(err.replace(/\s+/g, " ")).toContain("`crier slots` lists the slots. Add one with `crier slots add`.");
});

it("suggests only commands that exist", async () => {
  const folder = join(import.meta.dirname, "../../../cli");
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  const suggested = texts.flatMap((text) => [...text.matchAll(/["'`(:|,] ?crier ((?:[a-z][a-z-]* ?)+)/g)]);
  expect(suggested.length).toBeGreaterThan(100);
  const names = COMMANDS.map(({ name }) => name);
  for (const [, words = ""] of suggested) expect(names, words).toContain(words.split(" ")[0]);
  const calls = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
  for (const [call, command] of COMMANDS_OF_CALLS) {
    expect(calls).toContain(call);
    const words = command.split(" ").slice(1);
    expect(route(COMMANDS, words).path.map(({ name }) => name)).toEqual(words);
  }
});

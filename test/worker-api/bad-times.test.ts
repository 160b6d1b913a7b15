// Invalid times, switches and idempotency keys of a post, and the largest valid value of each.
import { describe, expect, it } from "vitest";
import { inDays } from "../support/dates.ts";
import { call, connect, signUp } from "../support/world.ts";
import { account, channel, DAY_MS, dryRun, type RefusalBody, refusal, withAccounts } from "./bad-posts.ts";

withAccounts();

describe("publish_at", () => {
  it.each<[unknown, string]>([
    ["", "publish_at_invalid"],
    [" ", "publish_at_invalid"],
    [0, "publish_at_invalid"],
    [1_800_000_000_000, "publish_at_invalid"],
    [true, "publish_at_invalid"],
    [[], "publish_at_invalid"],
    [{}, "publish_at_invalid"],
    ["now", "publish_at_invalid"],
    ["2027-01-01", "publish_at_invalid"],
    ["2027-02-30T10:00:00Z", "publish_at_invalid"],
    ["2027-02-29T10:00:00", "publish_at_invalid"],
    ["2027-13-01T10:00:00Z", "publish_at_invalid"],
    ["2027-01-00T10:00:00Z", "publish_at_invalid"],
    ["2027-01-01T24:00:00Z", "publish_at_invalid"],
    ["2027-01-01T10:60:00Z", "publish_at_invalid"],
    ["2027-01-01T10:00:60Z", "publish_at_invalid"],
    ["2027-01-01T10:00:00+25:00", "publish_at_invalid"],
    ["2027-01-01T10:00:00+0100", "publish_at_invalid"],
    ["2027-01-01T10:00:00z", "publish_at_invalid"],
    ["2027-01-01T10:00:00Z ", "publish_at_invalid"],
    ["2027-01-01T10:00:00[Europe/Berlin]", "publish_at_invalid"],
    ["2027-01-01T10:00:00Z\n", "publish_at_invalid"],
    ["+012027-01-01T10:00:00Z", "publish_at_invalid"],
    ["２０２７-01-01T10:00:00Z", "publish_at_invalid"],
    ["1".repeat(1_000), "publish_at_invalid"],
    ["2020-01-01T00:00:00Z", "publish_at_in_past"],
    ["0001-01-01T00:00:00Z", "publish_at_in_past"],
    ["9999-12-31T23:59:59Z", "publish_at_too_far"],
  ])("rejects the time %j with %s", async (publishAt, error) => {
    const answer = await dryRun({ publish_at: publishAt });
    expect(answer).toMatchObject(refusal(error, "/publish_at"));
    expect(answer.body).toMatchObject({ violations: [{ code: error, field: "/publish_at" }] });
  });

  it.each([
    [{ publish_at: 5 }, "publish_at_invalid", "/publish_at"],
    [{ text: 5 }, "invalid_field", "/text"],
    [{ labels: ["a", "a"] }, "invalid_field", "/labels"],
    [{ publishAt: "2027-01-01T10:00:00Z" }, "unknown_field", "/publishAt"],
  ])("reports %j as a violation, like any other broken rule", async (body, code, field) => {
    expect(await dryRun(body)).toMatchObject({
      status: 422,
      body: { error: code, field, violations: [{ code, field }] },
    });
  });

  it("accepts no time, null, a time a moment ago, and a time 366 days ahead", async () => {
    expect(await dryRun({})).toMatchObject({ status: 200, body: { publish_at: null } });
    expect(await dryRun({ publish_at: null })).toMatchObject({ status: 200, body: { publish_at: null } });
    expect(await dryRun({ publish_at: new Date(Date.now() - 30_000).toISOString() })).toMatchObject({ status: 200 });
    expect(await dryRun({ publish_at: inDays(365.9) })).toMatchObject({ status: 200 });
    expect(await dryRun({ publish_at: inDays(366.1) })).toMatchObject(refusal("publish_at_too_far", "/publish_at"));
  });

  it("rejects a time that the workspace's clocks skip, and reads a repeated time as the first one", async () => {
    const owner = await signUp();
    const { id } = await connect(owner.key, "telegram");
    // This zone changes its clocks twice in any 366 days.
    await call("PATCH", "/v1/workspace", { token: owner.key, body: { timezone: "Europe/Berlin" } });
    const spring = findLastSunday(2);
    const autumn = findLastSunday(9);
    const postAt = (publish_at: string) =>
      call<RefusalBody & { publish_at: string; hint: string }>("POST", "/v1/posts", {
        token: owner.key,
        body: { text: "x", channels: [id], dry_run: true, publish_at },
      });
    const skipped = await postAt(`${spring}T02:30`);
    expect(skipped).toMatchObject(refusal("publish_at_in_dst_gap", "/publish_at"));
    expect(skipped.body.hint).toContain(`${spring}T01:30:00+01:00 and ${spring}T03:30:00+02:00`);
    expect(await postAt(`${autumn}T02:30`)).toMatchObject({
      status: 200,
      body: { publish_at: `${autumn}T00:30:00.000Z` },
    });
  });
});

/** Finds the next last Sunday of a month (0 to 11), as `2027-03-28`. */
function findLastSunday(month: number): string {
  const tomorrow = new Date(Date.now() + DAY_MS);
  for (const year of [tomorrow.getUTCFullYear(), tomorrow.getUTCFullYear() + 1]) {
    const last = new Date(Date.UTC(year, month + 1, 0));
    const sunday = new Date(last.getTime() - last.getUTCDay() * DAY_MS);
    if (sunday > tomorrow) return sunday.toISOString().slice(0, 10);
  }
  throw new Error("a year has every month");
}

describe("draft and dry_run", () => {
  it.each<[object, string, string]>([
    [{ draft: "true" }, "draft_not_boolean", "/draft"],
    [{ draft: 0 }, "draft_not_boolean", "/draft"],
    [{ draft: 1 }, "draft_not_boolean", "/draft"],
    [{ draft: null }, "draft_not_boolean", "/draft"],
    [{ draft: [] }, "draft_not_boolean", "/draft"],
    [{ draft: {} }, "draft_not_boolean", "/draft"],
    [{ draft: "" }, "draft_not_boolean", "/draft"],
    [{ dry_run: "true" }, "invalid_field", "/dry_run"],
    [{ dry_run: 1 }, "invalid_field", "/dry_run"],
    [{ dry_run: null }, "invalid_field", "/dry_run"],
    [{ dry_run: undefined, media_preview: [] }, "media_preview_needs_dry_run", "/media_preview"],
    [{ dry_run: false, media_preview: [{ kind: "image" }] }, "media_preview_needs_dry_run", "/media_preview"],
  ])("rejects the switches %j with %s", async (changes, error, field) => {
    expect(await dryRun(changes)).toMatchObject(refusal(error, field));
  });
});

describe("a draft", () => {
  it("a draft may be empty, but the fields that it has must be valid", async () => {
    const draft = (body: object) =>
      call<RefusalBody>("POST", "/v1/posts", { token: account.key, body: { draft: true, ...body } });
    expect(await draft({})).toMatchObject({ status: 201 });
    expect(await draft({ channels: [] })).toMatchObject({ status: 201 });
    expect(await draft({ channels: ["ch_x"] })).toMatchObject(refusal("unknown_channel", "/channels/0"));
    expect(await draft({ media: ["med_x"] })).toMatchObject(refusal("unknown_media", "/media/0"));
    expect(await draft({ publish_at: "2020-01-01T00:00Z" })).toMatchObject(
      refusal("publish_at_in_past", "/publish_at"),
    );
    expect(await draft({ channels: [channel], text: "a".repeat(5_000) })).toMatchObject(
      refusal("text_too_long", "/text"),
    );
  });
});

describe("Idempotency-Key", () => {
  const withKey = (key: string) =>
    call<RefusalBody>("POST", "/v1/posts", {
      token: account.key,
      headers: { "idempotency-key": key },
      body: { draft: true },
    });
  it.each([
    ["empty", ""],
    ["256 characters", "k".repeat(256)],
    ["white space", "a b"],
    ["characters outside ASCII", "schl\u00fcssel"],
    ["a control character", "a\u0001b"],
    ["an empty quoted string", '""'],
    ["256 quoted characters", `"${"k".repeat(256)}"`],
    ["two values", "a, b"],
  ])("rejects this key with idempotency_key_invalid: %s", async (_name, key) => {
    expect(await withKey(key)).toMatchObject(refusal("idempotency_key_invalid", "Idempotency-Key"));
  });

  it("accepts a key of 255 visible ASCII characters", async () => {
    expect(await withKey("k".repeat(255))).toMatchObject({ status: 201 });
    expect(await withKey("!#$%&'()*+-./:;<=>?@[]^_`{|}~")).toMatchObject({ status: 201 });
  });
});

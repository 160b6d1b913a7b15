// The values that a network offers for an option of an account.
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import { getPublisher } from "../support/lanes.ts";
import { type Account, type ChannelBody, call, connect, fault, signUp, unique } from "../support/world.ts";

interface Options {
  options: { value: string; label: string; description: string | null; disabled_reason: string | null }[];
  next: string | null;
  fetched_at: string;
}
const listOptions = ({ key }: Account, { id }: ChannelBody, option: string, query = "") =>
  call<Options>("GET", `/v1/channels/${id}/options/${option}${query}`, { token: key });

async function openChannel(platform: string, name?: string) {
  const account = await signUp();
  return { account, channel: await connect(account.key, platform, name) };
}

describe("the values of an option", () => {
  it("lists an account's boards with the ids that the option accepts", async () => {
    const { account, channel } = await openChannel("pinterest");
    expect(await listOptions(account, channel, "board")).toMatchObject({
      status: 200,
      body: {
        options: [
          { value: "101", label: "Board 101", description: null, disabled_reason: null },
          { value: "102", label: "Board 102", description: null, disabled_reason: null },
        ],
        next: null,
        fetched_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
  });

  it("requires the option that the values depend on, and lists the values for it", async () => {
    const { account, channel } = await openChannel("pinterest");
    expect((await listOptions(account, channel, "board_section", "?board=101")).body.options).toMatchObject([
      { value: "7", label: "Section 7" },
    ]);
    expect((await listOptions(account, channel, "board_section", "?board=102")).body.options).toEqual([]);
    for (const [query, refusal] of [
      ["", { status: 422, body: { error: "missing_field", field: "/board" } }],
      ["?board=999", { status: 422, body: { error: "invalid_field", field: "/board" } }],
    ] as const)
      expect(await listOptions(account, channel, "board_section", query)).toMatchObject(refusal);
  });

  it("finds an organization to mention by the address of its page, and lists the account's own pages", async () => {
    const { account, channel } = await openChannel("linkedin");
    for (const q of ["Acme Corp", "https://www.linkedin.com/company/acme-corp/about/"]) {
      expect((await listOptions(account, channel, "mention", `?q=${encodeURIComponent(q)}`)).body.options).toEqual([
        {
          value: expect.stringMatching(/^@\[The acme-corp page\]\(urn:li:organization:\d+\)$/),
          label: "The acme-corp page",
          description: "acme-corp",
          disabled_reason: null,
        },
      ]);
    }
    expect((await listOptions(account, channel, "mention", "?q=nobody")).body.options).toEqual([]);
    const own = (await listOptions(account, channel, "mention")).body.options.map(({ description }) => description);
    expect(own).toEqual([expect.stringMatching(/-page$/), expect.stringMatching(/-press$/)]);
  });

  it("finds a Bluesky account to mention by the first letters of its handle, and none without letters", async () => {
    const { account, channel } = await openChannel("bluesky");
    expect((await listOptions(account, channel, "mention", "?q=@alic")).body.options).toEqual([
      { value: "@alice.bsky.social", label: "Alice", description: "@alice.bsky.social", disabled_reason: null },
    ]);
    expect((await listOptions(account, channel, "mention", "?q=nobody")).body.options).toEqual([]);
    expect((await listOptions(account, channel, "mention")).body.options).toEqual([]);
  });

  it("marks the values that this account cannot use", async () => {
    const { account, channel } = await openChannel("tiktok");
    const { options } = (await listOptions(account, channel, "privacy_level")).body;
    expect(options.filter((option) => option.disabled_reason === null).map(({ value }) => value)).toEqual([
      "PUBLIC_TO_EVERYONE",
      "MUTUAL_FOLLOW_FRIENDS",
      "SELF_ONLY",
    ]);
    expect(options.find(({ value }) => value === "FOLLOWER_OF_CREATOR")?.disabled_reason).toBeTruthy();
  });

  it("marks boards that accept advertisements only", async () => {
    const { account, channel } = await openChannel("pinterest");
    const items = [{ id: "5", name: "Ads", privacy: "PUBLIC", is_ads_only: true }];
    const body = { items, bookmark: null };
    await fault({
      platform: "pinterest",
      account: channel.handle,
      call: "boards/list",
      do: "status",
      status: 200,
      body,
    });
    expect((await listOptions(account, channel, "board")).body.options).toEqual([
      { value: "5", label: "Ads", description: null, disabled_reason: "The board accepts advertisements only." },
    ]);
  });

  it("lists the same values for an option with and without its ending `_id`", async () => {
    const { account, channel } = await openChannel("youtube");
    const withEnding = (await listOptions(account, channel, "category_id")).body;
    expect(withEnding.options).toContainEqual({
      value: "10",
      label: "Music",
      description: null,
      disabled_reason: null,
    });
    expect(withEnding.options.find(({ value }) => value === "18")?.disabled_reason).toBeTruthy();
    expect((await listOptions(account, channel, "category")).body).toEqual(withEnding);
  });

  it("lists the values of all pages of the network, filtered and paged", async () => {
    const { account, channel } = await openChannel("pinterest", unique("boards_"));
    const values: string[] = [];
    let query = "?limit=100";
    for (let pages = 0; pages < 4; pages++) {
      const { options, next } = (await listOptions(account, channel, "board", query)).body;
      values.push(...options.map(({ value }) => value));
      if (next === null) break;
      query = `?limit=100&cursor=${encodeURIComponent(next)}`;
    }
    expect(values).toHaveLength(302);
    expect(new Set(values).size).toBe(302);
    expect((await listOptions(account, channel, "board", "?q=WINTER%20shelf")).body.options).toMatchObject([
      { value: "1000", description: "Winter things" },
    ]);
    expect(await listOptions(account, channel, "board", "?cursor=bm8")).toMatchObject({
      status: 422,
      body: { error: "unreadable_cursor" },
    });
  });
});

describe("the stored values of an option", () => {
  const failCalls = ({ platform, handle }: ChannelBody) =>
    fault({ platform, account: handle, call: "boards/list", do: "status", status: 503, count: 2 });

  it("returns stored values for five minutes, and fetches them again if the caller sets `refresh`", async () => {
    const { account, channel } = await openChannel("pinterest");
    const first = (await listOptions(account, channel, "board")).body;
    await failCalls(channel);
    expect((await listOptions(account, channel, "board")).body).toEqual(first);
    expect(await listOptions(account, channel, "board", "?refresh=true")).toMatchObject({
      status: 503,
      body: { error: "network_unavailable" },
    });
    // A failed refresh keeps the stored values.
    expect((await listOptions(account, channel, "board")).body).toEqual(first);
  });

  it("does not return values that are older than five minutes", async () => {
    const { account, channel } = await openChannel("pinterest");
    await listOptions(account, channel, "board");
    const { stub, lane } = await getPublisher(account.workspace, channel.id);
    const request = { channel: channel.id, option: "board", values: {} };
    expect(await stub.lookUp(lane, request, "kept")).toMatchObject({ is: "listed" });
    await failCalls(channel);
    await runInDurableObject(stub, async (_, { storage }) => {
      for (const [key, value] of storage.kv.list<{ fetchedAt: number }>({ prefix: "look-up:" }))
        storage.kv.put(key, { ...value, fetchedAt: value.fetchedAt - 5 * 60_000 });
    });
    expect((await listOptions(account, channel, "board")).status).toBe(503);
  });

  it("returns the values after it has renewed the access token", async () => {
    const { account, channel } = await openChannel("pinterest");
    await fault({ platform: "pinterest", account: channel.handle, expire_token: true });
    expect((await listOptions(account, channel, "board")).status).toBe(200);
  });

  it("makes one call to the network for simultaneous requests", async () => {
    const { account, channel } = await openChannel("pinterest");
    const answers = await Promise.all(Array.from({ length: 5 }, () => listOptions(account, channel, "board")));
    expect(new Set(answers.map(({ body }) => body.fetched_at)).size).toBe(1);
  });
});

describe("a refused request for the values of an option", () => {
  it("refuses an option without a list, and an unknown option", async () => {
    const { account, channel } = await openChannel("pinterest");
    for (const option of ["title", "nonsense", "constructor", "__proto__"])
      expect(await listOptions(account, channel, option), option).toMatchObject({
        status: 404,
        body: { error: "option_has_no_lookup", hint: "There are lists for: board, board_section." },
      });
    const telegram = await connect(account.key, "telegram");
    expect((await listOptions(account, telegram, "buttons")).body).toMatchObject({ error: "option_has_no_lookup" });
  });

  it("refuses a channel of another workspace, a disconnected channel and a channel without a credential", async () => {
    const { account, channel } = await openChannel("pinterest");
    const stranger = await signUp();
    expect((await listOptions(stranger, channel, "board")).status).toBe(404);
    await call("DELETE", `/v1/channels/${channel.id}`, { token: account.key });
    expect((await listOptions(account, channel, "board")).status).toBe(404);
    const body = { platform: "pinterest", handle: unique("planned") };
    const planned = await call<ChannelBody>("POST", "/v1/channels", { token: account.key, body });
    expect(await listOptions(account, planned.body, "board")).toMatchObject({
      status: 409,
      body: { error: "channel_not_connected" },
    });
  });

  it("tells the caller to reconnect a channel whose grant has ended", async () => {
    const { account, channel } = await openChannel("pinterest");
    const refusal = { code: 29, message: "You are not permitted to access that resource." };
    await fault({
      platform: "pinterest",
      account: channel.handle,
      call: "boards/list",
      do: "status",
      status: 403,
      body: refusal,
    });
    expect(await listOptions(account, channel, "board")).toMatchObject({
      status: 409,
      body: { error: "channel_needs_reconnect", network_message: expect.stringContaining("not permitted") },
    });
  });

  it("refuses an unknown value of a parameter", async () => {
    const { account, channel } = await openChannel("pinterest");
    expect(await listOptions(account, channel, "board", "?refresh=yes")).toMatchObject({
      status: 422,
      body: { error: "invalid_field", field: "/refresh" },
    });
  });
});

it("the rule marks exactly the options that have a list, and names the list for texts", async () => {
  interface Marked {
    platform: string;
    text_lookup?: string;
    options: { properties?: Record<string, object> };
  }
  const { platforms } = (await call<{ platforms: Marked[] }>("GET", "/v1/platforms")).body;
  const markedOptions = platforms.map(({ platform, text_lookup, options }) => [
    platform,
    [
      ...Object.entries(options.properties ?? {}).flatMap(([name, schema]) => ("x-lookup" in schema ? [name] : [])),
      ...(text_lookup === undefined ? [] : [text_lookup]),
    ].sort(),
  ]);
  const listed = networks.map(({ rule, lookUps }) => [rule.platform, Object.keys(lookUps ?? {}).sort()]);
  expect(markedOptions).toEqual(listed);
});

// Facebook's options for posts in the feed: the card of a link, a date in the past, a place, and an audience.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { facebook } from "../../src/networks/facebook/index.ts";
import { account, faultCall, photo, posts, publish, ready } from "./facebook-page.ts";
import { publication } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const PAST = "2024-05-01T12:00:00Z";
const parse = (options: object) => facebook.options.safeParse(options);

describe("a Facebook post with options", () => {
  it("has a place, an audience and a date in the past, with and without photos", async () => {
    const options = { place: "1234567890123", targeting: { countries: ["DE", "AT"], age_min: 18 }, backdated_at: PAST };
    const facts = { Date: "2024-05-01T12:00:00+0000", Place: options.place, Audience: "DE, AT · 18 and older" };
    for (const media of [[], [await photo()]]) {
      const { entry } = await publish(simulators, publication("placed", { options, media }), await account());
      expect(entry.shown.facts).toEqual(facts);
    }
  });

  it("has its own card if the Page owns the domain of the link, and is refused otherwise", async () => {
    const link_card = { title: "Our offer", description: "Only today" };
    const withCard = (link: string) => publication("a card", { options: { link, link_card } });
    const { entry } = await publish(simulators, withCard("https://owned.example.com/offer"), await account());
    expect(entry.shown.card).toMatchObject({ title: "Our offer", description: "Only today" });
    const foreign = await account();
    const post = withCard("https://example.com/offer");
    const publishKey = await ready(post, foreign.context);
    expect(await facebook.publish(post, publishKey, foreign.context)).toMatchObject({
      is: "rejected",
      error: "content_refused",
      detail: expect.stringContaining("domain"),
      networkMessage: expect.stringContaining("Only owners of the URL"),
    });
    expect(await posts(foreign)).toEqual([]);
  });

  it("with a date in the past is found after a lost answer among the posts of that time", async () => {
    const page = await account();
    for (let i = 0; i < 30; i++) await publishText(page, `newer ${i}`);
    const post = publication("from the archive", { options: { backdated_at: PAST } });
    const publishKey = await ready(post, page.context);
    await faultCall(simulators, page, "feed", { do: "reset_after_accept" });
    expect((await facebook.publish(post, publishKey, page.context)).is).toBe("unknown");
    const entry = (await posts(page)).find(({ text }) => text === "from the archive");
    expect(await facebook.reconcile?.(publishKey, page.context)).toMatchObject({ is: "live", id: entry?.id });
  });
});

async function publishText(page: Awaited<ReturnType<typeof account>>, text: string) {
  const post = publication(text);
  expect((await facebook.publish(post, await ready(post, page.context), page.context)).is).toBe("live");
}

describe("the options of Facebook", () => {
  it.each<[string, object, boolean]>([
    ["a card without a link", { link_card: { title: "t" } }, false],
    ["an empty card", { link: "https://example.com/", link_card: {} }, false],
    ["a card with a link", { link: "https://example.com/", link_card: { title: "t" } }, true],
    ["an empty audience", { targeting: {} }, false],
    ["an age that Facebook has no limit for", { targeting: { age_min: 14 } }, false],
    ["a country that is no code", { targeting: { countries: ["Germany"] } }, false],
    ["a place that is no id", { place: "Berlin" }, false],
    ["a date without an offset", { backdated_at: "2024-05-01T12:00:00" }, false],
  ])("are checked by their schema: %s", (_, options, isValid) => {
    expect(parse(options).success).toBe(isValid);
  });

  it("are checked against the post and the clock", () => {
    const check = (options: Json, kind: "image" | "video") =>
      facebook.checkOptions?.(options, { postType: "feed", media: [{ kind }] }, Date.parse("2026-01-01T00:00:00Z"));
    const names = (options: Json, kind: "image" | "video" = "image") =>
      check(options, kind)?.map(({ path }) => path.join("/"));
    expect(names({ place: "1", targeting: { age_min: 18 }, backdated_at: PAST })).toEqual([]);
    expect(names({ place: "1", targeting: { age_min: 18 }, backdated_at: PAST }, "video")).toEqual([
      "backdated_at",
      "place",
      "targeting",
    ]);
    expect(names({ backdated_at: "2026-01-01T00:00:01Z" })).toEqual(["backdated_at"]);
  });
});

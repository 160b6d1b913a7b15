// What must hold of every network's rule, whatever its numbers are: each limit is exact, in its own unit, and a refusal says
// by how much it was missed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkLeg, type Leg, type MediaFacts } from "../../src/domain/check-post.ts";
import type { Violation } from "../../src/domain/refusal.ts";
import { networks } from "../../src/networks/index.ts";

const file = (kind: "image" | "video", facts: Partial<MediaFacts> = {}): MediaFacts => ({
  kind,
  contentType: null,
  bytes: null,
  width: null,
  height: null,
  seconds: null,
  ...facts,
});

/** Pieces of text on which ways to count differ; none of them joins with an `a` behind it. */
const PIECES = [
  "a",
  " ",
  "ä",
  "e\u0301",
  "o\u0323\u0302",
  "日本",
  "한",
  "ﷺ",
  "\r\n",
  "\n",
  "\u200fשלום\u200e",
  "\u202eabc\u202c",
  "😀",
  "👩‍👩‍👧‍👦",
  "👍🏽",
  "🇩🇪",
  "❤️",
  "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
  "𝒳",
  "क्षि",
];
const odd = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(""));

/** How units count that are counted without a network's own tables. */
const COUNT: Record<string, (text: string) => number> = {
  characters: (text) => text.match(/./gsu)?.length ?? 0,
  graphemes: (text) => [...new Intl.Segmenter("en").segment(text)].length,
  utf16: (text) => text.length,
};

/** The largest whole number from 0 to `max` that `passes`; -1 when none does. What fails once fails for all above. */
function largest(max: number, passes: (n: number) => boolean): number {
  if (!passes(0)) return -1;
  let [low, high] = [0, 1];
  while (high <= max && passes(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle;
  }
  return low;
}

describe.each(networks.map(({ rule }) => [rule.platform, rule] as const))("%s", (_platform, rule) => {
  const judge = (changes: Partial<Leg>): Violation[] =>
    checkLeg({
      channel: "ch",
      rule,
      text: "x",
      textField: "/text",
      media: [],
      mediaField: "/media",
      postType: null,
      ...changes,
    });
  const first = (code: string, changes: Partial<Leg>) => judge(changes).find((broken) => broken.code === code);
  const kinds = (["image", "video"] as const).filter((kind) => rule[kind] !== null);

  it.each([["alone", []] as const, ...kinds.map((kind) => [`with one ${kind}`, [file(kind)]] as const)])(
    "takes a text %s up to its limit, of whatever it is made, and refuses one more by 1",
    (_name, media) => {
      fc.assert(
        fc.property(odd, (start) => {
          const refused = (n: number) => first("text_too_long", { text: start + "a".repeat(n), media: [...media] });
          const n = largest(200_000, (length) => refused(length) === undefined);
          fc.pre(n >= 0);
          const broken = refused(n + 1);
          expect(broken).toMatchObject({ field: "/text", over_by: 1, platform: rule.platform });
          expect(broken?.actual).toBe((broken?.limit ?? 0) + 1);
          const count = COUNT[broken?.unit ?? ""];
          if (count !== undefined) expect(count(start + "a".repeat(n))).toBe(broken?.limit);
          expect(refused(n + 7)).toMatchObject({ over_by: 7 });
        }),
        { numRuns: 40 },
      );
    },
  );

  it("takes as many files as it says, in any order, and a refusal says how many to leave out", () => {
    const codes = { too_many_images: "image", too_many_videos: "video" } as const;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("image", "video"), { maxLength: 60 }),
        fc.infiniteStream(fc.nat()),
        (list, order) => {
          const media = list.map((kind) => file(kind));
          const broken = judge({ media });
          const shuffled = media.map((one) => ({ one, at: order.next().value })).sort((a, b) => a.at - b.at);
          const told = (all: Violation[]) => all.map(({ code, limit, actual }) => ({ code, limit, actual }));
          expect(told(judge({ media: shuffled.map(({ one }) => one) }))).toEqual(told(broken));
          for (const [code, kind] of Object.entries(codes)) {
            const over = broken.find((one) => one.code === code)?.over_by;
            if (over === undefined) continue;
            expect(over).toBeGreaterThan(0);
            const without = (count: number) => {
              let left = count;
              return media.filter((one) => one.kind !== kind || left-- <= 0);
            };
            expect(first(code, { media: without(over) })).toBeUndefined();
            expect(first(code, { media: without(over - 1) })).toMatchObject({ over_by: 1 });
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(kinds)("takes a %s of its last byte, and refuses one more by 1", (kind) => {
    const refused = (bytes: number) => first("media_too_large", { media: [file(kind, { bytes })] });
    const limit = largest(2 ** 45, (bytes) => refused(bytes) === undefined);
    expect(refused(limit + 1)).toMatchObject({
      limit,
      actual: limit + 1,
      over_by: 1,
      unit: "bytes",
      field: "/media/0",
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * limit }), (bytes) => {
        expect(refused(bytes)?.over_by).toBe(bytes > limit ? bytes - limit : undefined);
      }),
    );
  });

  it("takes a video of its last second, and nothing longer", () => {
    const refused = (seconds: number) => first("media_too_long", { media: [file("video", { seconds })] });
    const limit = largest(1_000_000, (seconds) => refused(seconds) === undefined);
    // A network may name no length at all.
    if (rule.video?.max_seconds === undefined) {
      expect(refused(limit + 1)).toBeUndefined();
      return;
    }
    expect(refused(limit + 1)).toMatchObject({ limit, over_by: 1, unit: "seconds" });
    expect(refused(limit + 0.5)).toMatchObject({ limit, over_by: 0.5 });
  });

  it("judges nothing that is not known of a file", () => {
    for (const kind of kinds) {
      const codes = judge({ media: [file(kind)] }).map(({ code }) => code);
      for (const code of [
        "media_too_large",
        "media_too_long",
        "media_format_not_allowed",
        "media_dimensions_not_allowed",
      ])
        expect(codes).not.toContain(code);
    }
  });
});

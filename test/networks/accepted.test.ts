// The networks accept every post that our rules accept, and both reject a text that is one character over the limit.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTarget } from "../../src/domain/posts/check-post.ts";
import { mediaCounts, type PostTarget, textLimit } from "../../src/domain/posts/post-target.ts";
import { textLength } from "../../src/domain/posts/text-length.ts";
import { networks } from "../../src/networks/index.ts";
import { countRuns } from "../support/runs.ts";
import { attempt, buildPost, media, prepareKey, readAccepted, startSession, waitUntilLive } from "./harness.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const RUNS = Number(process.env.CRIER_FUZZ_RUNS ?? countRuns(24));
/** Pieces of texts: everything that networks count, mark up or escape in their own way. */
const PIECES = [
  "a",
  "Grüße ",
  "中文",
  "👩‍👩‍👧",
  "e\u0301",
  "\n",
  "🇩🇪",
  "1️⃣",
  "𝒳",
  " ",
  "#tag ",
  "@name ",
  "https://example.com/a?b=c&d#e ",
  "example.org ",
  "$ABC ",
  "<b>",
  "&amp;",
  "*_~`[](){}|\\",
  "\u202Eabc",
  "…",
];

describe.each(networks.map((network) => ({ platform: network.rule.platform, network })))(
  "the rule of $platform",
  ({ network }) => {
    const { rule } = network;

    it("accepts only posts that the network accepts, exactly as written", async () => {
      const shape = fc.record({
        type: fc.constantFrom(...rule.post_types),
        pieces: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 60 }),
        fill: fc.boolean(),
        images: fc.nat({ max: Math.min(rule.media.images, 3) }),
        videos: fc.nat({ max: Math.min(rule.media.videos, 1) }),
      });
      let acceptedCount = 0;
      await fc.assert(
        fc.asyncProperty(shape, async ({ type, pieces, fill, images, videos }) => {
          const session = await startSession(simulators, network);
          const least = await buildPost(session, type, rule.image === null ? "video" : "image", 0);
          const files = await Promise.all([
            ...Array.from({ length: images }, (_, i) => media(session, "image", i, null)),
            ...Array.from({ length: videos }, (_, i) => media(session, "video", images + i, null)),
          ]);
          const target: PostTarget = {
            channel: "ch_1",
            rule,
            text: pieces.join(""),
            textField: "/text",
            media: files,
            mediaField: "/media",
            postType: type,
            optionsField: "/overrides/ch_1",
            options: Object.keys(Object(least.options)),
          };
          const room = textLimit(target) - textLength(target.text, rule);
          if (textLimit(target) === 0) target.text = "";
          else if (fill && room > 0 && room < 70_000) target.text += "b".repeat(room);
          fc.pre(target.text.trim() !== "" || files.length > 0);
          fc.pre(target.text === target.text.trim());
          fc.pre(checkTarget(target).length === 0);
          const post = { ...least, text: target.text, media: files, postType: type };
          const publishKey = await prepareKey(session, post);
          await waitUntilLive(session, await network.publish(post, publishKey, session.context), publishKey);
          const [entry, ...otherEntries] = await readAccepted(session);
          expect(otherEntries).toEqual([]);
          expect(entry?.text).toBe(target.text);
          expect(entry?.media).toHaveLength(files.length);
          acceptedCount++;
        }),
        { numRuns: RUNS, maxSkipsPerRun: 200 },
      );
      expect(acceptedCount).toBe(RUNS);
    });

    it("and the network both reject a text that is one character over the limit", async () => {
      const session = await startSession(simulators, network);
      const [type = "feed"] = rule.post_types;
      const kind = rule.image === null ? "video" : "image";
      const { min } = mediaCounts({ rule, postType: type });
      const least = await buildPost(session, type, kind, min);
      const limit = min > 0 ? rule.caption_limit : rule.text_limit;
      const post = { ...least, text: "a".repeat(limit + 1) };
      const outcome = await attempt(session, post);
      // Our own rule is stricter than these networks. The other networks reject such a text themselves.
      const stricter: Record<string, string> = { pinterest: "live", tiktok: "processing" };
      expect(outcome.is).toBe(stricter[rule.platform] ?? "rejected");
    });
  },
);

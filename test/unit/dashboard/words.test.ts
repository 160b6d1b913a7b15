// The sentences of the dashboard, from the structured fields of refusals, violations and warnings.
import { expect, it } from "vitest";
import { formatBytes, formatSeconds } from "../../../src/dashboard/words/counts.ts";
import { getClock } from "../../../src/dashboard/words/dates.ts";
import { describeAttempts } from "../../../src/dashboard/words/deliveries.ts";
import { describeFailure } from "../../../src/dashboard/words/failures.ts";
import { knownPermissions } from "../../../src/dashboard/words/permissions.ts";
import { describeCode, describeRefusal } from "../../../src/dashboard/words/refusals.ts";
import type { Violation } from "../../../src/dashboard/words/violation-words.ts";
import { describeViolation } from "../../../src/dashboard/words/violations.ts";
import { describeWarning } from "../../../src/dashboard/words/warnings.ts";
import { FAILURES } from "../../../src/domain/delivery/failure.ts";
import { WARNINGS } from "../../../src/domain/posts/warning.ts";
import { REFUSAL_CODES } from "../../../src/domain/refusal-codes.ts";
import { networks } from "../../../src/networks/index.ts";

const FOR_PROGRAMS = /`|\/v1|overrides|publish_at|utf16|graphemes|undefined|NaN|\b(?:ch|med|post|ws)_/;
const facts = { channel: "ch_1", platform: "instagram", post_type: "feed" as const, message: "" };
const describe = (violation: Omit<Violation, "message" | "channel"> & Partial<Violation>, postTypes?: string[]) =>
  describeViolation({ ...facts, ...violation }, postTypes === undefined ? {} : { postTypes });

it("every refusal code has a whole sentence without words for programs", () => {
  for (const code of REFUSAL_CODES) {
    const sentence = describeCode(code);
    expect([code, sentence]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/)]);
    expect(sentence).not.toMatch(FOR_PROGRAMS);
    expect(describeViolation({ code, message: "" }).text).not.toMatch(FOR_PROGRAMS);
  }
});

it("a code that this page does not know has a sentence, too", () => {
  const unknown: object = { error: "from_the_future", message: "`x`", request_id: "" };
  expect(describeRefusal(Object.assign({ error: "not_found" as const, message: "", request_id: "" }, unknown))).toMatch(
    /^That didn't work\./,
  );
});

it.each<[Parameters<typeof describe>[0], string, string[]]>([
  [
    { code: "text_too_long", platform: "x", limit: 280, actual: 291, unit: "weighted", over_by: 11 },
    "11 characters too long for X.",
    ["Edit for X"],
  ],
  [
    { code: "text_too_long", post_type: "story", limit: 0, actual: 4, unit: "utf16", over_by: 4 },
    "Instagram stories can't have text.",
    ["Remove text for Instagram"],
  ],
  [
    {
      code: "media_dimensions_not_allowed",
      field: "/media/0",
      limit: 0.8,
      actual: 0.563,
      unit: "times as wide as high",
      media_kind: "image",
    },
    "This image is too tall for an Instagram post (4:5 is the limit).",
    ["Crop to 4:5", "Post as story"],
  ],
  [
    {
      code: "media_format_not_allowed",
      field: "/media/0",
      content_type: "image/png",
      allowed: ["image/jpeg"],
      adaptable: true,
    },
    "Instagram doesn't accept PNG files. Use JPEG.",
    ["Adapt automatically"],
  ],
  [
    {
      code: "media_format_not_allowed",
      field: "/media/0",
      content_type: "application/x-subrip",
      allowed: ["text/vtt", "video/webm"],
    },
    "Instagram doesn't accept SRT files. Use VTT or WebM.",
    ["Replace"],
  ],
  [{ code: "option_required", platform: "pinterest", option: "board" }, "Choose a board.", ["Choose board"]],
  [
    {
      code: "invalid_option",
      option: "collaborators",
      option_fault: "wrong_post",
      option_needs: { post_types: ["feed", "reel"] },
    },
    "“Collaborators” is only for posts or reels.",
    ["Remove collaborators"],
  ],
  [{ code: "media_required", limit: 1, actual: 0, unit: "files" }, "Instagram needs a photo or video.", ["Add files"]],
  [{ code: "unknown_channel", channel: "nobody" }, "You have no channel called “nobody”.", []],
  [
    { code: "unknown_channel", channel: "ch_06fzz0000000000000000000zz" },
    "This channel doesn't exist. It may have been removed.",
    [],
  ],
  [{ code: "publish_at_in_past" }, "That time has passed. Pick a later one.", ["Pick another time"]],
  [
    { code: "too_many_images", platform: "x", limit: 4, actual: 6, over_by: 2, unit: "images" },
    "X allows 4 images per post. Remove 2.",
    ["Remove 2 images"],
  ],
])("the sentence of %j names the limit in plain words, and has its buttons", (violation, text, labels) => {
  const words = describe(violation, ["feed", "story"]);
  expect(words.text).toBe(text);
  expect(words.fixes.map(({ label }) => label)).toEqual(labels);
});

it("each warning and each failure has a sentence without words for programs", () => {
  const clock = { full: () => "Fri, Nov 27, 10:00 AM" };
  for (const code of WARNINGS) {
    for (const platform of [null, "linkedin"])
      expect(describeWarning({ code, message: "" }, { platform, clock })).toMatch(/^[A-Z0-9].*\.$/);
    expect(describeWarning({ code, message: "", part: 1 }, { platform: "x", clock })).not.toMatch(FOR_PROGRAMS);
  }
  for (const error of Object.keys(FAILURES)) expect(describeFailure(error, "linkedin")).toMatch(/^[A-Z].*\.$/);
  expect(describeFailure("permission_missing", "telegram")).toContain("Make it an admin");
});

it("a time is said with its distance, and with its year if that is another one", () => {
  const clock = getClock("America/New_York");
  const now = Date.parse("2026-11-24T15:00:00Z");
  expect(clock.friendly("2026-11-27T15:00:00Z", now)).toMatch(/^Fri, Nov 27, 10:00\sAM, in 3 days$/);
  expect(clock.friendly("2026-11-24T14:59:50Z", now)).toMatch(/just now$/);
  expect(clock.full("2027-05-13T13:30:00Z", now)).toMatch(/^Thu, May 13, 2027, 9:30\sAM$/);
});

it("sizes, durations and tries read as people say them", () => {
  expect([formatBytes(900), formatBytes(320_400), formatBytes(2_400_000)]).toEqual(["900 bytes", "320 KB", "2.4 MB"]);
  expect([formatSeconds(1), formatSeconds(600), formatSeconds(14_400)]).toEqual(["1 second", "10 minutes", "4 hours"]);
  expect(describeAttempts({ attempts: 2, status: "live" })).toBe("Second try succeeded.");
});

it("each optional permission of a network has words for what does not work without it", () => {
  for (const { rule } of networks) {
    for (const permission of Object.keys(rule.permissions?.optional ?? {})) {
      expect([...knownPermissions]).toContain(permission);
    }
  }
});

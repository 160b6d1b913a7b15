import { expect, it } from "vitest";
import { findEndingVersion, findVersionEnd, isSupportedAt } from "../../../src/domain/api-version.ts";
import { warnOfVersion } from "../../../src/domain/posts/warning.ts";
import { networks } from "../../../src/networks/index.ts";
import { leastTarget } from "../../support/post-targets.ts";

const API = { version: "202609", supported_until: "2027-09-15" };
const END = Date.parse("2027-09-15T00:00:00Z");
const DAY_MS = 86_400_000;

it.each([
  [60 * DAY_MS + 1, null],
  [60 * DAY_MS, 60],
  [14 * DAY_MS + 1, 60],
  [14 * DAY_MS, 14],
  [1, 14],
  [0, null],
  [-DAY_MS, null],
])("%i ms before a version ends, the warning of the days %s is due", (remainingMs, days) => {
  expect(findEndingVersion(API, END - remainingMs)?.days ?? null).toBe(days);
});

it.each([
  [60 * DAY_MS + 1, null],
  [60 * DAY_MS, { end: API.supported_until, hasEnded: false }],
  [1, { end: API.supported_until, hasEnded: false }],
  [0, { end: API.supported_until, hasEnded: true }],
  [-DAY_MS, { end: API.supported_until, hasEnded: true }],
])("%i ms before a version ends, findVersionEnd returns %j", (remainingMs, expected) => {
  expect(findVersionEnd(API, END - remainingMs)).toEqual(expected);
});

it("a version without an end date, or a network without versions, causes no warning", () => {
  expect(findEndingVersion({ ...API, supported_until: null }, END)).toBeNull();
  expect(findEndingVersion({ version: null, supported_until: null }, END)).toBeNull();
  expect(isSupportedAt({ ...API, supported_until: null }, END)).toBe(true);
});

it("a post that is due on the day on which the version ends or later has a warning", () => {
  for (const { rule } of networks) {
    const target = leastTarget(rule, null);
    expect(warnOfVersion(target, API, END - 1)).toEqual([]);
    expect(warnOfVersion(target, API, END)).toEqual([
      {
        code: "version_ends_before_publish_at",
        channel: target.channel,
        message: `${rule.platform} may no longer support version 202609 of its API when this post is due.`,
      },
    ]);
  }
});

import { expect, it } from "vitest";
import { createPost } from "../../src/contract/posts.ts";
import { OVERRIDE_KEYS_MAX, VIOLATIONS_MAX } from "../../src/domain/limits.ts";
import { RATE_LIMITS, takeTry } from "../../src/domain/rate-limit.ts";
import { refuseViolations, violation } from "../../src/domain/refusal.ts";
import { READING, refuseIssues } from "../../src/operations/refuse-issues.ts";

const makeOptions = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`option_${i}`, i]));
const getRefusal = (body: object) => {
  const issues = createPost.body.safeParse(body, READING).error?.issues;
  return issues === undefined ? null : JSON.stringify(refuseIssues(issues).body("req"));
};

it("a refusal lists a limited number of violations and the number of further ones", () => {
  const violations = Array.from({ length: VIOLATIONS_MAX + 7 }, (_, i) =>
    violation("unknown_media", { field: `/media/${i}` }),
  );
  const body = refuseViolations(violations).body("req");
  expect(body.violations).toEqual(violations.slice(0, VIOLATIONS_MAX));
  expect(body.more_violations).toBe(7);
  expect(refuseViolations(violations.slice(0, VIOLATIONS_MAX)).body("req")).not.toHaveProperty("more_violations");
});

it("a post with too many overrides, or too many options in one, gets a short refusal", () => {
  expect(getRefusal({ overrides: { ch_1: makeOptions(OVERRIDE_KEYS_MAX) } })).toBeNull();
  for (const body of [
    { overrides: { ch_1: makeOptions(OVERRIDE_KEYS_MAX + 1) } },
    { overrides: { ch_1: makeOptions(60_000) } },
    { overrides: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`ch_${i}`, {}])) },
    makeOptions(60_000),
  ]) {
    const answer = getRefusal(body) ?? "";
    expect(answer).toContain('"error"');
    expect(answer.length).toBeLessThan(1_000);
  }
});

it("a workspace key can be rotated ten times an hour", () => {
  let tries = { at: [] as number[], blocks: 0, blockedUntil: 0 };
  const waits = Array.from({ length: 11 }, () => {
    const attempt = takeTry(RATE_LIMITS.rotate_workspace, tries, 1_000);
    tries = attempt.tries;
    return attempt.waitMs;
  });
  expect(waits).toEqual([...Array<number>(10).fill(0), 3_600_000]);
});

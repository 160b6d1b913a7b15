import { expect, it } from "vitest";
import { totalCost, wholeCost } from "../../../src/domain/posts/price.ts";
import { createTextMeter } from "../../../src/domain/posts/text-length.ts";
import { findNetwork } from "../../../src/networks/index.ts";
import { readDocument } from "../../support/documents/markdown.ts";

const { rule } = findNetwork("x") ?? expect.fail("X is gone");
const MICROS = 1_000_000;
/** Computes the dollars for 1,000 posts with this text, including X's default rechecks. */
function computeMonth(text: string): number {
  const when = { publishAt: Date.parse("2026-11-26T12:00:00Z"), rechecks: rule.rechecks ?? expect.fail("no rechecks") };
  return (1_000 * totalCost(wholeCost([{ rule, text, media: [] }], createTextMeter(), when))) / MICROS;
}

it("the documents have the price of 1,000 posts on X, including rechecks, without links and with one link in each post", () => {
  expect([computeMonth("hello"), computeMonth("see https://example.com")]).toEqual([30, 215]);
  const [networks, performance] = ["docs/networks.md", "docs/performance.md"].map(readDocument);
  expect(networks).toContain("**$30**; with a link in each, $215");
  expect(performance).toContain("a month of 1,000 posts costs $30 there, or $215 with a link in each");
});

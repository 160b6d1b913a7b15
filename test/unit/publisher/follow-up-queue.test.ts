// What of the follow-ups of one publisher begins in one piece of work.
import { expect, it } from "vitest";
import { FollowUpQueue } from "../../../src/publisher/follow-up-queue.ts";
import { PieceOfWork } from "../../../src/publisher/piece-of-work.ts";

const piece = () => new PieceOfWork({ now: () => 1_000_000, pause: async () => {} });
const posts = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `post_${from + i}`);
const postsIn = (begun: { task: object }[]) =>
  begun.flatMap(({ task }) => ("posts" in task && Array.isArray(task.posts) ? task.posts.map(String) : []));

it("begins no more follow-ups than one invocation may ask its database for, and the rest in later pieces of work", () => {
  const queue = new FollowUpQueue();
  for (let i = 0; i < 16; i++) queue.add({ kind: "verify", channel: `ch_${i}`, posts: posts(20, 20 * i) });
  const pieces: number[] = [];
  const seen = new Set<string>();
  while (!queue.isIdle) {
    const begun = queue.begin(piece());
    pieces.push(postsIn(begun).length);
    for (const post of postsIn(begun)) seen.add(post);
    for (const { name } of begun) queue.end(name);
  }
  // Ten statements each, of a thousand that D1 allows.
  expect(Math.max(...pieces)).toBeLessThanOrEqual(70);
  expect(seen.size).toBe(320);
});

it("works one task of a channel at a time, with at most twenty deliveries, however many were added", () => {
  const queue = new FollowUpQueue();
  for (let i = 0; i < 5; i++) queue.add({ kind: "verify", channel: "ch_1", posts: posts(10, 5 * i) });
  const [first, ...others] = queue.begin(piece());
  expect(others).toEqual([]);
  expect(postsIn(first === undefined ? [] : [first])).toEqual(posts(20));
  expect(queue.begin(piece())).toEqual([]);
  queue.end(first?.name ?? "");
  expect(postsIn(queue.begin(piece()))).toEqual(posts(10, 20));
});

it("hands tasks out one delivery at a time to be worked alone, until the piece of work is spent", () => {
  const queue = new FollowUpQueue();
  queue.add({ kind: "preflight", channel: "ch_1", posts: posts(300), minutes: 60 });
  queue.add({ kind: "renew_credential", channel: "ch_1" });
  const alone: string[] = [];
  for (const work of [piece(), piece(), piece(), piece(), piece(), piece(), piece()]) {
    const before = alone.length;
    for (let next = queue.next(work); next !== null; next = queue.next(work)) alone.push(next.name);
    expect(alone.length - before).toBeLessThanOrEqual(50);
  }
  expect(new Set(alone).size).toBe(301);
  expect(alone.at(-1)).toBe("renew_credential:ch_1:");
  expect(queue.isIdle).toBe(true);
});

it("is idle once nothing waits and nothing is under way", () => {
  const queue = new FollowUpQueue();
  expect(queue.isIdle).toBe(true);
  queue.add({ kind: "renew_credential", channel: "ch_1" });
  expect(queue.isIdle).toBe(false);
  const [begun] = queue.begin(piece());
  expect(queue.isIdle).toBe(false);
  queue.end(begun?.name ?? "");
  expect(queue.isIdle).toBe(true);
});

it("keeps tasks apart that are of other kinds, or of other times before deliveries come due", () => {
  const queue = new FollowUpQueue();
  queue.add({ kind: "preflight", channel: "ch_1", posts: posts(1), minutes: 60 });
  queue.add({ kind: "preflight", channel: "ch_1", posts: posts(1, 1), minutes: 10 });
  queue.add({ kind: "preflight", channel: "ch_1", posts: posts(1, 2), minutes: 10 });
  queue.add({ kind: "verify", channel: "ch_1", posts: posts(1, 3) });
  queue.add({ kind: "renew_credential", channel: "ch_1" });
  queue.add({ kind: "renew_credential", channel: "ch_1" });
  const begun = queue.begin(piece());
  expect(begun.map(({ name }) => name)).toEqual([
    "preflight:ch_1:60",
    "preflight:ch_1:10",
    "verify:ch_1",
    "renew_credential:ch_1",
  ]);
  expect(begun[1]?.task).toMatchObject({ minutes: 10, posts: ["post_1", "post_2"] });
  expect(begun[3]?.task).toEqual({ kind: "renew_credential", channel: "ch_1" });
});

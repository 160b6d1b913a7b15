import { expect, it } from "vitest";
import { FollowUpQueue } from "../../../src/publisher/follow-up-queue.ts";
import { PieceOfWork } from "../../../src/publisher/piece-of-work.ts";

const makePiece = () => new PieceOfWork({ now: () => 1_000_000, pause: async () => {} });
const makePosts = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `post_${from + i}`);
const listPosts = (startedTasks: { task: object }[]) =>
  startedTasks.flatMap(({ task }) => ("posts" in task && Array.isArray(task.posts) ? task.posts.map(String) : []));

it("one piece of work begins no more follow-ups than the statements of an invocation allow, and later pieces begin the others", () => {
  const queue = new FollowUpQueue();
  for (let i = 0; i < 16; i++) queue.add({ kind: "after_publish", channel: `ch_${i}`, posts: makePosts(20, 20 * i) });
  const pieces: number[] = [];
  const postsSeen = new Set<string>();
  while (!queue.isIdle) {
    const started = queue.begin(makePiece());
    pieces.push(listPosts(started).length);
    for (const post of listPosts(started)) postsSeen.add(post);
    for (const { name } of started) queue.end(name);
  }
  // Each follow-up uses ten of the thousand statements that D1 allows.
  expect(Math.max(...pieces)).toBeLessThanOrEqual(70);
  expect(postsSeen.size).toBe(320);
});

it("the queue begins one task of a channel at a time, with at most twenty deliveries", () => {
  const queue = new FollowUpQueue();
  for (let i = 0; i < 5; i++) queue.add({ kind: "after_publish", channel: "ch_1", posts: makePosts(10, 5 * i) });
  const [first, ...otherTasks] = queue.begin(makePiece());
  expect(otherTasks).toEqual([]);
  expect(listPosts(first === undefined ? [] : [first])).toEqual(makePosts(20));
  expect(queue.begin(makePiece())).toEqual([]);
  queue.end(first?.name ?? "");
  expect(listPosts(queue.begin(makePiece()))).toEqual(makePosts(10, 20));
});

it("the queue returns single deliveries to be processed alone, until the piece of work is used up", () => {
  const queue = new FollowUpQueue();
  queue.add({ kind: "preflight", channel: "ch_1", posts: makePosts(300), minutes: 60 });
  queue.add({ kind: "renew_credential", channel: "ch_1" });
  const alone: string[] = [];
  for (const work of [makePiece(), makePiece(), makePiece(), makePiece(), makePiece(), makePiece(), makePiece()]) {
    const before = alone.length;
    for (let next = queue.next(work); next !== null; next = queue.next(work)) alone.push(next.name);
    expect(alone.length - before).toBeLessThanOrEqual(50);
  }
  expect(new Set(alone).size).toBe(301);
  expect(alone.at(-1)).toBe("renew_credential:ch_1:");
  expect(queue.isIdle).toBe(true);
});

it("the queue is idle once no task waits or is in progress", () => {
  const queue = new FollowUpQueue();
  expect(queue.isIdle).toBe(true);
  queue.add({ kind: "renew_credential", channel: "ch_1" });
  expect(queue.isIdle).toBe(false);
  const [started] = queue.begin(makePiece());
  expect(queue.isIdle).toBe(false);
  queue.end(started?.name ?? "");
  expect(queue.isIdle).toBe(true);
});

it("the queue keeps tasks of different kinds and leads separate", () => {
  const queue = new FollowUpQueue();
  queue.add({ kind: "preflight", channel: "ch_1", posts: makePosts(1), minutes: 60 });
  queue.add({ kind: "preflight", channel: "ch_1", posts: makePosts(1, 1), minutes: 10 });
  queue.add({ kind: "preflight", channel: "ch_1", posts: makePosts(1, 2), minutes: 10 });
  queue.add({ kind: "after_publish", channel: "ch_1", posts: makePosts(1, 3) });
  queue.add({ kind: "renew_credential", channel: "ch_1" });
  queue.add({ kind: "renew_credential", channel: "ch_1" });
  const started = queue.begin(makePiece());
  expect(started.map(({ name }) => name)).toEqual([
    "preflight:ch_1:60",
    "preflight:ch_1:10",
    "after_publish:ch_1",
    "renew_credential:ch_1",
  ]);
  expect(started[1]?.task).toMatchObject({ minutes: 10, posts: ["post_1", "post_2"] });
  expect(started[3]?.task).toEqual({ kind: "renew_credential", channel: "ch_1" });
});

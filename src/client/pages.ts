// Reads lists to their end: the pages of a list, the event feed as it grows, a post until it has finished.
import { isFinished } from "../domain/posts/post.ts";
import { checkCursors, notCrier } from "./answer.ts";
import type { Calls } from "./calls.ts";
import type { Answer, CallOptions, Client, Query } from "./client.ts";
import { isPassing } from "./errors.ts";
import { patientWaitMs } from "./pause.ts";

export type Post = Answer<"posts.get">;
export type Event = Answer<"events.list">["events"][number];

interface Following {
  signal?: AbortSignal;
  /** Called once if the service does not answer; retries continue. */
  onSilence?: (reason: string) => void;
}

/** Retries until there is an answer, however long that takes. A refusal counts as an answer. */
export async function patiently<Found>(
  { pause, signal }: Pick<Client, "pause" | "signal">,
  ask: () => Promise<Found>,
  following: Following = {},
): Promise<Found> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (tries === 0) following.onSilence?.(error.message);
      await pause(patientWaitMs(tries), following.signal ?? signal);
    }
  }
}

/** A page of a list, with the cursor of the next; null on the last page. */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}
/** Reads the page at a cursor; undefined for the first page. */
export type ReadPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

/** All pages of a list. Throws `NoAnswer` if a page is not one of Crier's. */
export async function* everyPage<Item>(read: ReadPage<Item>): AsyncGenerator<Page<Item>, void, undefined> {
  const check = checkCursors();
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    if (!Array.isArray(page.items)) throw notCrier("A page of the list has no items.");
    const next = check(page.next);
    yield page;
    if (next === null) return;
    cursor = next;
  }
}

/** All items of a list. `read` reads one page and returns the cursor of the next. */
export async function* everyItem<Item>(read: ReadPage<Item>): AsyncGenerator<Item, void, undefined> {
  for await (const { items } of everyPage(read)) yield* items;
}

/** How often the feed is polled while it has nothing new. */
const FEED_EVERY_MS = 2_000;
const FEED_PAGE = 200;

export interface FeedOptions extends Following, Pick<Query<"events.list">, "event" | "include" | "post" | "channel"> {
  /** Where to resume: the `cursor` of an earlier feed. If omitted, the feed starts with new events. */
  cursor?: string;
  /**
   * Called with the cursor to resume from after a restart: when the feed starts, even before its first event, and whenever
   * the cursor moves.
   */
  onCursor?: (cursor: string) => void;
}
export interface Feed extends AsyncIterable<Event> {
  /**
   * The cursor to resume from after a restart. It moves once all events of a page have been consumed, so no event is skipped
   * and events of one page may repeat.
   */
  cursor: string | undefined;
}

/** Events as they happen, oldest first, without end. An outage neither skips nor repeats events. */
export function events(
  client: Client,
  { cursor, signal = client.signal, onSilence, onCursor, ...filter }: FeedOptions = {},
): Feed {
  const options: CallOptions = signal === undefined ? {} : { signal };
  const read = async (query: Query<"events.list">) => {
    const ask = () => client.call("events.list", { ...options, query: { ...filter, ...query } });
    const { body } = await patiently(client, ask, { signal, onSilence });
    const isPage = Array.isArray(body.events) && (body.next === null || typeof body.next === "string");
    if (!isPage) throw notCrier("A page of the event feed has no events or no cursor.");
    return body;
  };
  const feed: Feed = {
    cursor,
    async *[Symbol.asyncIterator]() {
      const moveTo = (cursor: string | null) => {
        if (cursor === null || cursor === feed.cursor) return;
        feed.cursor = cursor;
        onCursor?.(cursor);
      };
      if (feed.cursor === undefined) {
        const newest = await read({ limit: 1 });
        moveTo(newest.next);
        // A log of at most one event has no second page; the feed starts where its first page ends.
        const first = newest.next === null ? await read({ order: "oldest", limit: 1 }) : newest;
        if (newest.next === null) {
          moveTo(first.next);
          yield* first.events.filter(({ id }) => id !== newest.events[0]?.id);
        }
      }
      for (;;) {
        const page = await read({ order: "oldest", limit: FEED_PAGE, cursor: feed.cursor });
        yield* page.events;
        // Full pages follow each other without a pause, so a page that leads to itself would never let the feed rest.
        if (page.events.length >= FEED_PAGE && (page.next ?? feed.cursor) === feed.cursor) {
          throw notCrier("A page of the event feed leads to itself.");
        }
        moveTo(page.next);
        if (page.events.length < FEED_PAGE) await client.pause(FEED_EVERY_MS, signal);
      }
    },
  };
  return feed;
}

const POST_EVERY_MS = 1_000;
/** How often a post scheduled far in the future is polled. */
const POST_SELDOM_MS = 30_000;
/** How long to wait before polling a post again. While nothing can happen, polls are rare. */
export function nextLookMs({ deliveries }: Pick<Post, "deliveries">, now: number): number {
  const dues = deliveries.flatMap(({ next_attempt_at, status }) =>
    status === "publishing" ? [now] : next_attempt_at === null ? [] : [Date.parse(next_attempt_at)],
  );
  const next = Math.min(...dues);
  // Infinity if nothing is due; NaN if a time is invalid, which would make a timer fire at once.
  return Number.isFinite(next) ? Math.min(POST_SELDOM_MS, Math.max(POST_EVERY_MS, next - now)) : POST_EVERY_MS;
}

/** Resolves with the post once it has finished. */
export async function finished(client: Client, id: string, following: Following = {}): Promise<Post> {
  const signal = following.signal ?? client.signal;
  const options: CallOptions = signal === undefined ? {} : { signal };
  for (;;) {
    const ask = () => client.call("posts.get", { ...options, params: { id } });
    const { body } = await patiently(client, ask, { ...following, signal });
    if (!Array.isArray(body.deliveries)) throw notCrier("The answer is not a post.");
    if (isFinished(body.status)) return body;
    await client.pause(nextLookMs(body, client.now()), signal);
  }
}

/** A line of an export. */
export type ExportedLine = Calls["workspaces.export"]["answer"];

/** No line of an export is nearly as long: a post is at most a request body, with its outcome. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024;

/** Parses a line of an export, which is trusted to match the contract. */
function readLine(line: string): ExportedLine {
  try {
    const value: ExportedLine | null = JSON.parse(line);
    if (typeof value?.type === "string") return value;
  } catch {
    // The error below says the same without the line's text.
  }
  throw notCrier("A line of the export is not a JSON object with a type.");
}

/** Everything in the workspace, one resource at a time. Throws `NoAnswer` if the export ends early. */
export async function* exported(
  client: Client,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<Exclude<ExportedLine, { type: "end" }>, void, undefined> {
  let remainder = "";
  for await (const text of client.stream("workspaces.export", options)) {
    const lines = (remainder + text).split("\n");
    remainder = lines.pop() ?? "";
    if (remainder.length > LINE_LENGTH_MAX) throw notCrier("A line of the export does not end.");
    for (const line of lines) {
      const exportedLine = readLine(line);
      if (exportedLine.type !== "end") yield exportedLine;
    }
  }
}

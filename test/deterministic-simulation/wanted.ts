// What callers know about a post: each request that changed it, when it was made, and how it was answered. This decides what a
// network may have, without a look at Crier's rows.

/** One value that a caller wrote. `answeredAt` null: there was no answer, so the value may hold or not. Epoch milliseconds. */
export interface Write<Value> {
  value: Value;
  askedAt: number;
  answeredAt: number | null;
  refused: boolean;
  /** Positions among all requests and answers, because many can fall into one millisecond. */
  order: { asked: number; answered: number };
}
let order = 0;

/** One field of a post with all values that were written to it. */
export class Field<Value> {
  readonly writes: Write<Value>[] = [];

  write(value: Value, askedAt: number): Write<Value> {
    const write: Write<Value> = {
      value,
      askedAt,
      answeredAt: null,
      refused: false,
      order: { asked: ++order, answered: Infinity },
    };
    this.writes.push(write);
    return write;
  }

  /** The values that may hold at `at`: requested by then, not refused, and not certainly overwritten before. */
  possible(at = Number.POSITIVE_INFINITY): Write<Value>[] {
    const asked = this.writes.filter(({ refused, askedAt }) => !refused && askedAt <= at);
    const overwritten = (write: Write<Value>): boolean =>
      write.answeredAt !== null &&
      asked.some(
        (other) =>
          other !== write &&
          other.answeredAt !== null &&
          other.answeredAt <= at &&
          other.order.asked > write.order.answered,
      );
    return asked.filter((write) => !overwritten(write));
  }
}

export interface Channel {
  id: string;
  workspace: string;
  platform: string;
  /** The account's name on its network, and the credentials that connected it. */
  handle: string;
  account: string;
}
/** A further part of a thread. */
export interface Part {
  text: string;
  media: string[];
}
export interface Override {
  text?: string;
  media?: string[];
  thread?: Part[];
  first_comment?: string;
  /** The channel's own time, in ISO 8601. */
  publish_at?: string;
  [option: string]: unknown;
}
export type Overrides = Record<string, Override>;

/** The fields of a post that callers may change. */
export interface Fields {
  text: string;
  media: string[];
  channels: string[];
  overrides: Overrides;
  /** The further parts; empty: the post is no thread. */
  thread: Part[];
  /** Epoch milliseconds; null: at once. */
  publishAt: number | null;
  draft: boolean;
  /** Only creations have it (series.ts). */
  repeat?: object;
}

/** The fields that an approver saw. */
export type Seen = Pick<Fields, "text" | "media" | "overrides" | "thread">;
export interface Approval {
  seen: Seen;
  /** When the approval was requested. */
  at: number;
}
/** A request to take a delivery down. */
export interface Takedown {
  channel: string;
  at: number;
  /** The status of the answer; null: no answer so far. */
  status: number | null;
  why: string;
}

/** A request to retry a failed delivery. `isRefused`: it was answered with a 4xx. */
export interface Retry {
  channel: string;
  at: number;
  isRefused: boolean;
}

/** A post that a caller wants to publish, and all that callers know about it. */
export class Wanted {
  readonly n: number;
  readonly workspace: string;
  readonly key: string | null;
  /** From the answer to its creation; null: there was no answer. */
  postId: string | null = null;
  revisions = 1;
  readonly text = new Field<string>();
  readonly media = new Field<string[]>();
  readonly channels = new Field<string[]>();
  readonly overrides = new Field<Overrides>();
  readonly thread = new Field<Part[]>();
  readonly publishAt = new Field<number | null>();
  readonly draft = new Field<boolean>();
  readonly first: Fields;
  /** When its cancellation was requested. */
  readonly cancelledAt: number[] = [];
  /** Requests to retry a failed delivery. */
  readonly retries: Retry[] = [];

  readonly takedowns: Takedown[] = [];

  /** Requested approvals that were not refused; null: the post needs no approval. */
  approvals: Approval[] | null = null;
  /** Whether its author may only write drafts. */
  byAuthor = false;
  /** When it was certainly declined, without a later request for another decision; null: it was not. */
  declinedAt: number | null = null;
  #askedAgainAt = Number.NEGATIVE_INFINITY;

  /** When a cancellation was first acknowledged; null: never. */
  surelyCancelledAt: number | null = null;

  constructor(n: number, workspace: string, key: string | null, first: Fields) {
    this.n = n;
    this.workspace = workspace;
    this.key = key;
    this.first = first;
  }

  /** Notes the acknowledgement of a decline that was sent at `sentAt`. */
  declined(sentAt: number, now: number): void {
    if (this.#askedAgainAt < sentAt) this.declinedAt ??= now;
  }
  /** Notes that a request may have asked for another decision. */
  askedAgain(now: number): void {
    this.declinedAt = null;
    this.#askedAgainAt = now;
  }

  cancelled(now: number): void {
    this.surelyCancelledAt ??= now;
  }

  /** Notes a retry request. Call the returned function with its answer. */
  retry(channel: string, now: number): (status: number | null) => void {
    const retry: Retry = { channel, at: now, isRefused: false };
    this.retries.push(retry);
    return (status) => {
      retry.isRefused = status !== null && status >= 400 && status < 500;
    };
  }
  /** When retries of a channel's delivery were requested up to `at`, except refused ones. */
  retriedAt(channel: string, at = Number.POSITIVE_INFINITY): number[] {
    const retries = this.retries.filter((retry) => retry.channel === channel && !retry.isRefused && retry.at <= at);
    return retries.map((retry) => retry.at);
  }

  /** Notes a request that writes fields. Call the returned function with its answer. */
  write(fields: Partial<Fields>, now: number): (status: number | null, now: number) => void {
    const writes: Write<unknown>[] = [];
    if (fields.text !== undefined) writes.push(this.text.write(fields.text, now));
    if (fields.media !== undefined) writes.push(this.media.write(fields.media, now));
    if (fields.channels !== undefined) writes.push(this.channels.write(fields.channels, now));
    if (fields.overrides !== undefined) writes.push(this.overrides.write(fields.overrides, now));
    if (fields.thread !== undefined) writes.push(this.thread.write(fields.thread, now));
    if (fields.publishAt !== undefined) writes.push(this.publishAt.write(fields.publishAt, now));
    if (fields.draft !== undefined) writes.push(this.draft.write(fields.draft, now));
    return (status, at) => {
      if (status === null || status >= 500) return;
      order++;
      for (const write of writes) {
        write.order.answered = order;
        if (status < 300) write.answeredAt = at;
        else write.refused = true;
      }
    };
  }

  /** The earliest instant at which it may go out on a channel, from the requests made by `at`; null: it is a draft. */
  earliest(channel: string, at: number): number | null {
    const released = this.draft.possible(at).filter(({ value }) => !value);
    if (released.length === 0) return null;
    const releasedAt = Math.min(...released.map(({ askedAt }) => askedAt));
    const times = this.publishAt.possible(at).map(({ value, askedAt }) => value ?? askedAt);
    return Math.max(releasedAt, Math.min(...this.#withOwnTimes(channel, at, times)));
  }

  /** The instants that a channel's own times allow; `times` where it has none. */
  #withOwnTimes(channel: string, at: number, times: readonly number[]): number[] {
    const ownTimes = this.overrides.possible(at).map(({ value }) => value[channel]?.publish_at);
    return (ownTimes.length === 0 ? [undefined] : ownTimes).flatMap((ownTime) =>
      ownTime === undefined ? times : [Date.parse(ownTime)],
    );
  }

  /** The instant from which a delivery is late, from the requests made by `at`. */
  latest(channel: string, at: number): number {
    const instants = [
      this.publishAt,
      this.draft,
      this.text,
      this.media,
      this.overrides,
      this.channels,
      this.thread,
    ].flatMap((field) =>
      field.writes
        .filter(({ refused, askedAt }) => !refused && askedAt <= at)
        .map(({ askedAt, answeredAt }) => answeredAt ?? askedAt),
    );
    const postTimes = this.publishAt.possible(at).map(({ value }) => value ?? 0);
    const times = this.#withOwnTimes(channel, at, postTimes);
    const approvedAt = (this.approvals ?? []).map((approval) => approval.at).filter((instant) => instant <= at);
    return Math.max(...instants, ...times, ...this.retriedAt(channel, at), ...approvedAt);
  }

  /** The texts, lists of files and option values that may hold for a channel at `at`. */
  texts(channel: string, at?: number): string[] {
    return this.#either(channel, at, ({ text }) => text, this.text);
  }
  files(channel: string, at?: number): string[][] {
    return this.#either(channel, at, ({ media }) => media, this.media);
  }
  /** The files of its whole thread, and its thumbnail. */
  allFiles(channel: string): string[] {
    return [
      ...this.files(channel).flat(),
      ...this.threads(channel).flatMap((parts) => parts.flatMap(({ media }) => media)),
      ...this.option(channel, "thumbnail_media").filter((id) => typeof id === "string"),
    ];
  }
  threads(channel: string, at?: number): Part[][] {
    return this.#either(channel, at, ({ thread }) => thread, this.thread);
  }
  /** What may be at a position of the thread. */
  parts(channel: string, position: number, at?: number): Part[] {
    return this.threads(channel, at).flatMap((thread) => thread[position - 1] ?? []);
  }
  option(channel: string, name: string, at?: number): unknown[] {
    return this.overrides.possible(at).map(({ value }) => value[channel]?.[name]);
  }

  #either<Value>(
    channel: string,
    at: number | undefined,
    own: (override: Override) => Value | undefined,
    all: Field<Value>,
  ): Value[] {
    return this.overrides.possible(at).flatMap(({ value }) => {
      const mine = own(value[channel] ?? {});
      return mine === undefined ? all.possible(at).map((write) => write.value) : [mine];
    });
  }
}

export const buildText = (n: number, revision: number, to = "everybody"): string =>
  `Crier says to ${to}: p${n}r${revision} and nothing else`;
export const buildThreadPartText = (n: number, revision: number, position: number): string =>
  `${buildText(n, revision)}, part ${position}`;
export const buildComment = (n: number, revision: number): string => `The first comment on ${n}, ${revision}`;

/** The body of a request that creates a post. */
export const toBody = ({ text, media, channels, overrides, thread, publishAt, draft, repeat }: Fields): object => ({
  text,
  media,
  channels,
  overrides,
  ...(thread.length > 0 ? { thread } : {}),
  ...(draft ? { draft } : {}),
  ...(repeat === undefined ? {} : { repeat }),
  ...(publishAt === null ? {} : { publish_at: new Date(publishAt).toISOString() }),
});

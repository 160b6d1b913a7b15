// The callers: they create posts with and without keys, try again when they hear nothing, change their minds at the worst
// moment, and remember what they were told.
import type { Caller } from "../../src/context.ts";
import { PLATFORMS } from "./classes.ts";
import { FILE_OF, optionsOf } from "./networks.ts";
import type { Chance } from "./prng.ts";
import { HOOK } from "./receiver.ts";
import type { Answer, World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const WORKSPACE = "ws_01jd0000000000000000000000";
const USER = "usr_01jd0000000000000000000000";
const KEY: Caller = { kind: "key", keyId: "key_01jd0000000000000000000000", workspaceId: WORKSPACE };
const PERSON: Caller = { kind: "session", userId: USER, tokenHash: "hash", workspaceId: null };

/** A post that somebody wants out, and all that they know of it. */
export interface Wanted {
  /** Its number; the texts carry it, with the revision: `p3r1`. */
  n: number;
  platforms: string[];
  publishAt: number | null;
  key: string | null;
  /** As answered by a create; null: no answer ever came. */
  postId: string | null;
  /** The newest revision of the text that was acknowledged. */
  acknowledgedRevision: number;
  revisions: number;
  /** What was asked for after its creation. */
  asked: Set<"cancel" | "draft" | "edit" | "retry">;
}

export const textOf = (n: number, revision: number): string => `Crier says p${n}r${revision} and nothing else`;
/** The post and revision that a text tells of. */
export function readText(text: string): { n: number; revision: number } | null {
  const [, n, revision] = /p(\d+)r(\d+) and nothing else/.exec(text) ?? [];
  return n === undefined ? null : { n: Number(n), revision: Number(revision) };
}

export interface Shape {
  platforms: string[];
  /** One post, at once, and nobody changes their mind. */
  golden: boolean;
}

export class Workload {
  readonly wanted: Wanted[] = [];
  readonly channelOf = new Map<string, string>();
  isErased = false;
  /** Channels that were ever asked to go. */
  readonly removed = new Set<string>();
  readonly #world: World;
  readonly #chance: Chance;
  readonly #shape: Shape;
  readonly #startsAt: number;
  #open = 0;
  /** Epoch milliseconds of the last thing that anybody plans to do. */
  lastAt: number;

  constructor(world: World, shape: Shape) {
    this.#world = world;
    this.#chance = world.chance;
    this.#shape = shape;
    this.#startsAt = world.scheduler.now;
    this.lastAt = this.#startsAt;
  }

  /** Whether everybody has done what they wanted. */
  get isDone(): boolean {
    return this.#open === 0;
  }

  // Before it begins ------------------------------------------------------------------------------------------------

  async setUp(): Promise<void> {
    const { database } = this.#world;
    const at = this.#startsAt - 24 * HOUR;
    database.change("INSERT INTO users (id, email, created_at) VALUES (?, 'a@example.com', ?)", USER, at);
    database.change(
      "INSERT INTO workspaces (id, name, plan, created_at) VALUES (?, 'one', 'unlimited', ?)",
      WORKSPACE,
      at,
    );
    database.change("INSERT INTO members VALUES (?, ?, 'owner', ?)", WORKSPACE, USER, at);
    for (const platform of this.#shape.platforms) {
      await this.#connect(platform);
      this.#store(platform);
    }
    if (this.#shape.golden || this.#chance.happens(0.4)) {
      const answer = await this.#world.perform("webhooks.create", { body: { url: HOOK } }, KEY);
      if (answer.is === "lost" || answer.status >= 300) throw new Error(`no webhook: ${JSON.stringify(answer)}`);
    }
    if (!this.#shape.golden && this.#chance.happens(0.3)) this.#lowerPlan();
    if (this.#shape.golden || !this.#chance.happens(0.3)) return;
    const renewAt = this.#startsAt + this.#chance.between(0, 30 * MINUTE);
    database.change("UPDATE channels SET renew_at = ? WHERE renew_at IS NOT NULL", renewAt);
  }

  async #connect(platform: string): Promise<void> {
    const input = this.#world.networks.credentials(platform, "somebody");
    const answer = await this.#world.perform("channels.connect", { body: { platform, ...input } }, KEY);
    if (answer.is === "lost" || answer.status >= 300) throw new Error(`not connected: ${JSON.stringify(answer)}`);
    this.channelOf.set(platform, String(memberOf(answer.body, "id")));
  }

  /** The file that a network cannot do without, uploaded and looked at. */
  #store(platform: string): void {
    const file = FILE_OF[platform];
    if (file === undefined) return;
    const id = mediaOf(platform);
    const key = `m/${WORKSPACE}/${id}`;
    const { bytes, contentType, kind, width, height, durationMs } = file;
    this.#world.objects.set(key, { bytes, contentType, etag: id });
    this.#world.networks.files.put(`https://media.crier.test/${key}`, contentType, bytes);
    this.#world.database.change(
      `INSERT INTO media (workspace_id, id, kind, state, object_key, content_type, bytes, etag, width, height, duration_ms, created_at)
       VALUES (?, ?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?, ?)`,
      WORKSPACE,
      id,
      kind,
      key,
      contentType,
      bytes.byteLength,
      id,
      width,
      height,
      durationMs,
      this.#startsAt - HOUR,
    );
    this.#world.database.change(
      "UPDATE workspaces SET staged_bytes = staged_bytes + ? WHERE id = ?",
      bytes.byteLength,
      WORKSPACE,
    );
  }

  // What is done ----------------------------------------------------------------------------------------------------

  begin(): void {
    if (this.#shape.golden) {
      this.#post(this.#want(0, this.#shape.platforms, null, "key-0"), this.#startsAt);
      return;
    }
    const count = this.#chance.between(1, 4);
    for (let n = 0; n < count; n++) this.#plan(n);
    if (this.#chance.happens(0.15)) this.#soon(() => this.#disconnect());
    if (this.#chance.happens(0.04)) this.#soon(() => this.#erase());
    if (this.#chance.happens(0.3)) for (let i = 0; i < 8; i++) this.#later(60 * MINUTE, () => this.#cancelHanging());
    if (this.#chance.happens(0.03)) this.#soon(() => this.#stopEverything());
    if (this.#chance.happens(0.1)) this.#later(30 * MINUTE, () => this.#lowerPlan());
    if (this.#chance.happens(0.1)) this.#later(60 * MINUTE, () => this.#removeSomething());
    if (this.#world.plan.strikes("restart")) this.#later(40 * MINUTE, () => this.#world.restart());
    if (this.#chance.happens(0.3)) this.#soon(() => this.#retryFailed());
    if (this.#chance.happens(0.5)) this.#later(2 * HOUR, () => this.#retryFailed());
    if (this.#chance.happens(0.3)) this.#later(6 * HOUR, () => this.#retryFailed());
  }

  #plan(n: number): void {
    const chance = this.#chance;
    const { platforms } = this.#shape;
    const some = platforms.filter(() => chance.happens(0.7));
    const at = this.#startsAt + (chance.happens(0.5) ? chance.between(0, 2_000) : chance.between(0, 20 * MINUTE));
    const publishAt = chance.happens(0.6) ? null : at + chance.between(10 * SECOND, 90 * MINUTE);
    const wanted = this.#want(
      n,
      some.length > 0 ? some : platforms,
      publishAt,
      chance.happens(0.7) ? `key-${n}` : null,
    );
    this.#post(wanted, at);
    // A person who presses twice.
    if (wanted.key !== null && chance.happens(0.1)) this.#post(wanted, at + chance.between(0, 2_000));
    const near = () => this.#near(wanted, at);
    if (chance.happens(0.15)) this.#at(near(), () => this.#ask(wanted, "cancel"));
    if (chance.happens(0.15)) this.#at(near(), () => this.#ask(wanted, "edit"));
    if (chance.happens(0.05)) this.#at(near(), () => this.#ask(wanted, "draft"));
  }

  /** Around the instant at which a post goes out: there is most to break. */
  #near({ publishAt }: Wanted, at: number): number {
    const dueAt = Math.max(at, publishAt ?? at);
    const [before, after] = this.#chance.pick([
      [0, 3 * SECOND],
      [0, 3 * SECOND],
      [30 * SECOND, 3 * MINUTE],
      [0, 30 * MINUTE],
    ] as const);
    return dueAt + this.#chance.between(-before, after);
  }
  #soon(then: () => void): void {
    this.#at(this.#near(this.#chance.pick(this.wanted), this.#startsAt), then);
  }

  #want(n: number, platforms: string[], publishAt: number | null, key: string | null): Wanted {
    const wanted: Wanted = {
      n,
      platforms,
      publishAt,
      key,
      postId: null,
      acknowledgedRevision: 1,
      revisions: 1,
      asked: new Set(),
    };
    this.wanted.push(wanted);
    return wanted;
  }

  #at(at: number, then: () => void): void {
    this.#open++;
    const when = Math.max(at, this.#startsAt);
    this.lastAt = Math.max(this.lastAt, when);
    this.#world.scheduler.at(when, () => {
      then();
      this.#open--;
    });
  }
  #later(withinMs: number, then: () => void): void {
    this.#at(this.#startsAt + this.#chance.between(0, withinMs), then);
  }

  #ask(wanted: Wanted, what: "cancel" | "edit" | "draft"): void {
    const { postId } = wanted;
    if (postId === null) return;
    wanted.asked.add(what);
    const params = { id: postId };
    if (what === "cancel") {
      this.#request("posts.remove", { params }, () => {});
      return;
    }
    if (what === "draft") {
      this.#request("posts.update", { params, body: { draft: true } }, (answer) => {
        if (answer.is === "answer" && answer.status >= 300) return;
        this.#at(this.#world.now() + this.#chance.between(SECOND, 20 * MINUTE), () =>
          this.#request("posts.update", { params, body: { draft: false } }, () => {}),
        );
      });
      return;
    }
    const revision = ++wanted.revisions;
    this.#request("posts.update", { params, body: { text: textOf(wanted.n, revision) } }, (answer) => {
      if (answer.is === "answer" && answer.status === 200) wanted.acknowledgedRevision = revision;
    });
  }

  #post(wanted: Wanted, at: number, tries = 0): void {
    this.#at(at, () => {
      const { n, platforms, publishAt } = wanted;
      const channels = platforms.map((platform) => this.channelOf.get(platform));
      const overrides = Object.fromEntries(
        platforms.flatMap((platform) => {
          const own = { ...optionsOf(platform), ...(FILE_OF[platform] ? { media: [mediaOf(platform)] } : {}) };
          return Object.keys(own).length === 0 ? [] : [[this.channelOf.get(platform), own]];
        }),
      );
      const body = {
        text: textOf(n, 1),
        channels,
        overrides,
        ...(publishAt === null ? {} : { publish_at: new Date(publishAt).toISOString() }),
      };
      this.#request("posts.create", { body, idempotencyKey: wanted.key }, (answer) => {
        if (answer.is === "answer" && answer.status < 300) {
          wanted.postId = String(memberOf(answer.body, "id"));
          return;
        }
        // Without a key nobody can know whether to try again.
        const unknown = answer.is === "lost" || answer.status >= 500;
        if (!unknown || wanted.key === null || tries >= 6) return;
        this.#post(wanted, this.#world.now() + this.#chance.between(SECOND, 5 * MINUTE), tries + 1);
      });
    });
  }

  #request(
    name: Parameters<World["request"]>[0],
    raw: Parameters<World["request"]>[1],
    heard: (answer: Answer) => void,
    caller = KEY,
  ): void {
    this.#open++;
    this.#world.request(name, raw, caller, (answer) => {
      heard(answer);
      this.#open--;
    });
  }

  /** Somebody sees that a post hangs, and cancels it. */
  #cancelHanging(): void {
    const rows = this.#world.database.rows("SELECT post_id FROM deliveries WHERE state = 'uncertain'");
    const hanging = this.wanted.find(({ postId }) => rows.some(({ post_id }) => post_id === postId));
    if (hanging !== undefined) this.#ask(hanging, "cancel");
  }

  #disconnect(): void {
    const platform = this.#chance.pick(this.#shape.platforms);
    const id = this.channelOf.get(platform);
    if (id === undefined) return;
    this.removed.add(id);
    this.#request("channels.disconnect", { params: { id } }, () => {});
    if (!this.#chance.happens(0.5)) return;
    const input = this.#world.networks.credentials(platform, "somebody");
    this.#at(this.#world.now() + this.#chance.between(SECOND, 40 * MINUTE), () =>
      this.#request("channels.connect", { body: { platform, ...input } }, () => {}),
    );
  }

  #erase(): void {
    this.isErased = true;
    this.#request("accounts.erase", {}, () => {}, PERSON);
  }

  /** The platform is down, for as long as a delivery may be late or longer. */
  #stopEverything(): void {
    this.#world.inject("outage");
    this.#world.restart();
    this.#world.outageUntil = this.#world.now() + this.#chance.between(HOUR, 26 * HOUR);
    this.lastAt = Math.max(this.lastAt, this.#world.outageUntil);
  }

  #lowerPlan(): void {
    this.#world.database.change("UPDATE workspaces SET plan = 'free' WHERE id = ?", WORKSPACE);
  }

  /** The owner of an account takes a post off the network, whatever we think of it just then. */
  #removeSomething(): void {
    const visible = this.#world.networks.visible();
    if (visible.length === 0) return;
    const entry = this.#chance.pick(visible);
    this.#world.inject("removed_by_owner", entry.platform);
    this.#world.networks.remove(entry);
  }

  /** Somebody looks at what failed, and on the network, and has it sent once more. */
  #retryFailed(): void {
    const rows = this.#world.database.rows("SELECT post_id, channel_id, platform, state FROM deliveries");
    for (const { post_id, channel_id, platform, state } of rows) {
      const wanted = this.wanted.find(({ postId }) => postId === post_id);
      if (wanted === undefined) continue;
      const params = { id: String(post_id), channel: String(channel_id) };
      if (state !== "failed" && this.#chance.happens(0.3)) {
        // Somebody who looks at nothing: what is not known to have failed must not be sent again for them.
        this.#request("posts.retry-delivery", { params, body: {} }, () => {});
        continue;
      }
      if (state !== "failed" && state !== "unconfirmed") continue;
      const isOut = this.#world.networks.ledger
        .list()
        .some((entry) => entry.platform === platform && readText(shownText(entry))?.n === wanted.n);
      // Whoever cannot know yet does not say that it is not there.
      if (state === "unconfirmed" && (isOut || !this.#world.isIdle)) continue;
      wanted.asked.add("retry");
      const body = state === "unconfirmed" ? { confirm_not_published: true } : {};
      this.#request("posts.retry-delivery", { params, body }, () => {});
    }
  }
}

/** Where the text of a post stands in a ledger's entry, whichever network it is. */
export function shownText(entry: { text: string; detail: Record<string, unknown> }): string {
  return `${entry.text} ${JSON.stringify(entry.detail)}`;
}

const mediaOf = (platform: string): string => `med_01jd${String(PLATFORMS.indexOf(platform)).padStart(22, "0")}`;

function memberOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? new Map(Object.entries(body)).get(name) : undefined;
}

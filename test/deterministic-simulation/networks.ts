// The networks' own side: the very simulators of the tests, called in this process. What they accepted stands in their
// ledger before it is decided whether the answer gets through.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { makeJpeg } from "../../scripts/local/jpeg.ts";
import { Faults } from "../../simulators/faults.ts";
import { PublicFiles } from "../../simulators/files.ts";
import { Ledger, type LedgerEntry } from "../../simulators/ledger.ts";
import type { Simulator, SimulatorModule } from "../../simulators/simulator.ts";
import { State } from "../../simulators/state.ts";
import { Accounts } from "../../simulators/youtube/accounts.ts";
import { getPlaylists as listsOf } from "../../simulators/youtube/additions.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { CREDENTIALS, REQUIRED_OPTIONS } from "../support/credentials.ts";
import { PLATFORMS } from "./classes.ts";

export interface SampleFile {
  kind: "image" | "video";
  contentType: string;
  bytes: Uint8Array<ArrayBuffer>;
  width: number;
  height: number;
  durationMs: number | null;
}
/** All pictures are as long, so that one can be put in the place of another. */
const PICTURE_BYTES = 2_048;
function image(width: number, height: number): SampleFile {
  const bytes = new Uint8Array(PICTURE_BYTES);
  bytes.set(makeJpeg(width, height));
  return {
    kind: "image",
    contentType: "image/jpeg",
    bytes,
    width,
    height,
    durationMs: null,
  };
}
const VIDEO: SampleFile = {
  kind: "video",
  contentType: "video/mp4",
  bytes: new Uint8Array(readFileSync(`${import.meta.dirname}/../../scripts/local/demo.mp4`)),
  width: 540,
  height: 960,
  durationMs: 5_000,
};
/** The files of every library: three pictures that differ, and a video. */
export const FILES: readonly SampleFile[] = [image(400, 400), image(420, 400), image(440, 400), VIDEO];
const PICTURES = [0, 1, 2];
/** Which files a post on a network may have, by their place in `FILES`, and how many. */
export const FILES_OF: Record<string, { some: readonly number[]; min: number; max: number }> = {
  bluesky: { some: PICTURES, min: 0, max: 3 },
  x: { some: PICTURES, min: 0, max: 3 },
  pinterest: { some: PICTURES, min: 1, max: 1 },
  instagram: { some: PICTURES, min: 1, max: 3 },
  tiktok: { some: [3], min: 1, max: 1 },
  linkedin: { some: PICTURES, min: 0, max: 2 },
  youtube: { some: [3], min: 1, max: 1 },
  facebook: { some: PICTURES, min: 0, max: 2 },
  threads: { some: PICTURES, min: 0, max: 2 },
  telegram: { some: PICTURES, min: 0, max: 1 },
};

/** An option of a network that a ledger shows: its values, and where it stands. */
export interface ShownOption {
  name: string;
  values: readonly (string | boolean)[];
  shown(entry: LedgerEntry): unknown;
}
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
export const SHOWN_OPTIONS: Record<string, ShownOption> = {
  pinterest: {
    name: "title",
    values: ["One title", "Another title"],
    shown: ({ detail }) => detail.title,
  },
  tiktok: {
    name: "privacy_level",
    values: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"],
    shown: ({ detail }) => memberOf(detail.info, "privacy_level"),
  },
  youtube: { name: "title", values: ["A video", "Another video"], shown: ({ detail }) => detail.title },
  telegram: { name: "silent", values: [true, false], shown: ({ detail }) => detail.silent },
};
/** A draft of TikTok, and one of a video, which its network has without the post's text. */
export const isDraft = ({ detail }: LedgerEntry): boolean => detail.draft === true;
const isVideoDraft = (entry: LedgerEntry): boolean => isDraft(entry) && entry.detail.kind === "video";
const draftTextOf = (n: number): string => `A draft of p${n}r0 and nothing else`;
/** Whether an entry has a text, as far as its network takes one. */
export const hasText = (entry: LedgerEntry, text: string): boolean => isVideoDraft(entry) || entry.text === text;
/** Networks that take a thread. */
export const THREADED = ["x", "bluesky", "threads"];
/** Networks that know a post by a handle, and know a repeat by it only once the post is out: nobody documents more. */
const KNOW_LATE = ["facebook", "instagram", "threads"];
/** Networks on which Crier writes a first comment. */
export const COMMENTED = ["facebook", "instagram", "linkedin", "threads", "youtube"];

const youtubeAccounts = new Accounts(new State(null));
/** Ids of the playlists of a YouTube account. */
export const playlistsOf = (account: string): string[] => listsOf(youtubeAccounts.account(account)).map(({ id }) => id);

/** Has a post go into the inbox of a TikTok account, in the place of all other options. */
export const DRAFT = { post_mode: "inbox" };
const OPTIONS_OF: Record<string, JsonObject> = {
  tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" },
  youtube: { title: "A video", made_for_kids: false },
};
export const optionsOf = (platform: string): object => REQUIRED_OPTIONS[platform] ?? OPTIONS_OF[platform] ?? {};

const ORIGIN = "http://networks.test";

export class Networks {
  readonly #state = new State(null);
  readonly ledger = new Ledger(this.#state);
  readonly files = new PublicFiles(this.ledger);
  /** Names of the accounts that were connected, by network. */
  readonly accounts = new Map<string, string[]>();
  /** What owners of accounts took off their networks, and when (epoch milliseconds). */
  readonly removedByOwner = new Map<LedgerEntry, number>();
  readonly #simulators = new Map<string, Simulator>();
  readonly #bindings: HttpBindings;

  constructor() {
    // The simulators look at the socket only when a fault of their own is armed, and none ever is here.
    const incoming = Object.assign(createServer(), { socket: {} });
    this.#bindings = { incoming, outgoing: {} } as unknown as HttpBindings;
  }

  static async load(): Promise<Networks> {
    const all = new Networks();
    const world = {
      ledger: all.ledger,
      faults: new Faults(),
      files: all.files,
      state: all.#state,
      partsDivisor: 1,
      origin: () => ORIGIN,
    };
    for (const platform of PLATFORMS) {
      const module: SimulatorModule = await import(/* @vite-ignore */ `../../simulators/${platform}.ts`);
      all.#simulators.set(platform, module.createSimulator(world));
    }
    return all;
  }

  /** Forgets everybody and everything. */
  empty(): void {
    for (const simulator of this.#simulators.values()) simulator.reset();
    this.ledger.forget({});
    this.accounts.clear();
    this.removedByOwner.clear();
  }

  simulator(platform: string): Simulator {
    const simulator = this.#simulators.get(platform);
    if (simulator === undefined) throw new Error(`no simulator of ${platform}`);
    return simulator;
  }

  /** Carries out a call that a connector makes of `url`; the answer is whole. */
  async call(platform: string, url: string, init: RequestInit): Promise<Response> {
    const { pathname, search, origin } = new URL(url);
    const path = origin === ORIGIN ? pathname.replace(`/${platform}`, "") : pathname;
    const request = new Request(`${ORIGIN}${path}${search}`, { ...init, signal: null });
    // As a client that speaks HTTP sends it.
    const bytes = request.body === null ? 0 : (await request.clone().arrayBuffer()).byteLength;
    if (request.method !== "GET") request.headers.set("content-length", String(bytes));
    const answer = await this.simulator(platform).app.fetch(request, this.#bindings);
    const body = await answer.arrayBuffer();
    return new Response(answer.status === 204 || answer.status === 304 ? null : body, answer);
  }

  /**
   * A call on which a network has worked since `since` makes a second post of what was published under its handle meanwhile.
   * `isExpected`: whether a call that was carried out at an instant could be waited for.
   */
  missRepeat(platform: string, call: string, since: number, isExpected: (at: number) => boolean): void {
    if (!KNOW_LATE.includes(platform)) return;
    const isIts = ({ token, at_ms }: LedgerEntry) =>
      token !== null && call.includes(token) && at_ms > since && at_ms < Date.now() && isExpected(at_ms);
    const first = this.ledger.list({ platform }).find(isIts);
    if (first === undefined) return;
    this.ledger.accept({ ...first, id: `${first.id}again` });
  }

  /** Ends the access tokens of every account on a network. */
  expire(platform: string): void {
    for (const account of this.accounts.get(platform) ?? []) this.simulator(platform).expireToken(account);
  }

  /** Labels each draft without a text with its post, as a person who watched its upload would. `numberOf`: the post of a publish id. */
  labelDrafts(numberOf: (publishId: string) => number | null): void {
    for (const entry of this.ledger.list({ platform: "tiktok" })) {
      const n = isVideoDraft(entry) && entry.text === "" ? numberOf(entry.token ?? "") : null;
      if (n !== null) entry.text = draftTextOf(n);
    }
  }

  /** The owner removes a post. */
  remove(entry: LedgerEntry): void {
    this.simulator(entry.platform).remove(entry.id);
    entry.deleted = true;
    this.removedByOwner.set(entry, Date.now());
  }

  /** What hands an account over, as somebody who connects it sends it. */
  credentials(platform: string, account: string): { handle: string; credentials: object } {
    const known = CREDENTIALS[platform]?.(account);
    if (known === undefined) throw new Error(`nobody knows how ${platform} is connected`);
    this.accounts.set(platform, [...(this.accounts.get(platform) ?? []), account, known.handle]);
    return known;
  }

  /** The posts that everybody sees. */
  visible(): LedgerEntry[] {
    return this.ledger.list().filter(({ deleted }) => !deleted);
  }
}

// The networks' side: the simulators of the other tests, called in this process. Accepted posts are in their ledger before it
// is decided whether the answer arrives.

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
/** All pictures have the same length, so that one can replace another. */
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
/** The files of every library: three different pictures and a video. */
export const FILES: readonly SampleFile[] = [image(400, 400), image(420, 400), image(440, 400), VIDEO];
const PICTURES = [0, 1, 2];
/** The files that a post on a network may have, by their index in `FILES`, and how many. */
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

/** An option of a network that its ledger shows: its values, and where the ledger has it. */
export interface ShownOption {
  name: string;
  values: readonly (string | boolean)[];
  shown(entry: LedgerEntry): unknown;
}
const getMember = (value: unknown, name: string): unknown =>
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
    shown: ({ detail }) => getMember(detail.info, "privacy_level"),
  },
  youtube: { name: "title", values: ["A video", "Another video"], shown: ({ detail }) => detail.title },
  telegram: { name: "silent", values: [true, false], shown: ({ detail }) => detail.silent },
};
/** Whether an entry is a draft on TikTok. A draft of a video has no text. */
export const isDraft = ({ detail }: LedgerEntry): boolean => detail.draft === true;
const isVideoDraft = (entry: LedgerEntry): boolean => isDraft(entry) && entry.detail.kind === "video";
const buildDraftText = (n: number): string => `A draft of p${n}r0 and nothing else`;
/** Whether an entry has a text, as far as its network accepts texts. */
export const hasText = (entry: LedgerEntry, text: string): boolean => isVideoDraft(entry) || entry.text === text;
/** Networks that accept threads. */
export const THREADED = ["x", "bluesky", "threads"];
/**
 * Networks that identify a post by a publish key. They detect a repeated call only once the post is out; no more is documented.
 */
const KNOW_LATE = ["facebook", "instagram", "threads"];
/** Networks on which Crier writes a first comment. */
export const COMMENTED = ["facebook", "instagram", "linkedin", "threads", "youtube"];

const youtubeAccounts = new Accounts(new State(null));
/** Ids of the playlists of a YouTube account. */
export const listPlaylists = (account: string): string[] =>
  listsOf(youtubeAccounts.account(account)).map(({ id }) => id);

/** Sends a post to the inbox of a TikTok account. Replaces all other options. */
export const DRAFT = { post_mode: "inbox" };
const OPTIONS_OF: Record<string, JsonObject> = {
  tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" },
  youtube: { title: "A video", made_for_kids: false },
};
export const getRequiredOptions = (platform: string): object =>
  REQUIRED_OPTIONS[platform] ?? OPTIONS_OF[platform] ?? {};

const ORIGIN = "http://networks.test";

export class Networks {
  readonly #state = new State(null);
  readonly ledger = new Ledger(this.#state);
  readonly files = new PublicFiles(this.ledger);
  /** Names of the connected accounts, by network. */
  readonly accounts = new Map<string, string[]>();
  /** Posts that the owners of accounts deleted on their networks, and when (epoch milliseconds). */
  readonly removedByOwner = new Map<LedgerEntry, number>();
  readonly #simulators = new Map<string, Simulator>();
  readonly #bindings: HttpBindings;

  constructor() {
    // The simulators look at the socket only for faults of their own, which the simulation does not use.
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
      chunksDivisor: 1,
      origin: () => ORIGIN,
    };
    for (const platform of PLATFORMS) {
      const module: SimulatorModule = await import(/* @vite-ignore */ `../../simulators/${platform}.ts`);
      all.#simulators.set(platform, module.createSimulator(world));
    }
    return all;
  }

  /** Forgets all accounts and posts. */
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

  /** Carries out a connector's call of `url`. The answer is complete. */
  async call(platform: string, url: string, init: RequestInit): Promise<Response> {
    const { pathname, search, origin } = new URL(url);
    const path = origin === ORIGIN ? pathname.replace(`/${platform}`, "") : pathname;
    const request = new Request(`${ORIGIN}${path}${search}`, { ...init, signal: null });
    // As an HTTP client sends it.
    const bytes = request.body === null ? 0 : (await request.clone().arrayBuffer()).byteLength;
    if (request.method !== "GET") request.headers.set("content-length", String(bytes));
    const answer = await this.simulator(platform).app.fetch(request, this.#bindings);
    const body = await answer.arrayBuffer();
    return new Response(answer.status === 204 || answer.status === 304 ? null : body, answer);
  }

  /**
   * Creates a second post for a call that the network has worked on since `since`, if the same publish key has been published
   * meanwhile. `isExpected`: whether a repeat could have waited for a call that was carried out at an instant.
   */
  missRepeat(platform: string, call: string, since: number, isExpected: (at: number) => boolean): void {
    if (!KNOW_LATE.includes(platform)) return;
    const isIts = ({ token, at_ms }: LedgerEntry) =>
      token !== null && call.includes(token) && at_ms > since && at_ms < Date.now() && isExpected(at_ms);
    const first = this.ledger.list({ platform }).find(isIts);
    if (first === undefined) return;
    this.ledger.accept({ ...first, id: `${first.id}again` });
  }

  /** Expires the access tokens of every account on a network. */
  expire(platform: string): void {
    for (const account of this.accounts.get(platform) ?? []) this.simulator(platform).expireToken(account);
  }

  /** Labels each draft without a text with its post. `findPostNumber`: the post of a publish id. */
  labelDrafts(findPostNumber: (publishId: string) => number | null): void {
    for (const entry of this.ledger.list({ platform: "tiktok" })) {
      const n = isVideoDraft(entry) && entry.text === "" ? findPostNumber(entry.token ?? "") : null;
      if (n !== null) entry.text = buildDraftText(n);
    }
  }

  /** The owner deletes a post. */
  remove(entry: LedgerEntry): void {
    this.simulator(entry.platform).remove(entry.id);
    entry.deleted = true;
    this.removedByOwner.set(entry, Date.now());
  }

  /** The credentials that a caller sends to connect an account. */
  credentials(platform: string, account: string): { handle: string; credentials: object } {
    const known = CREDENTIALS[platform]?.(account);
    if (known === undefined) throw new Error(`nobody knows how ${platform} is connected`);
    this.accounts.set(platform, [...(this.accounts.get(platform) ?? []), account, known.handle]);
    return known;
  }

  /** The public posts. */
  visible(): LedgerEntry[] {
    return this.ledger.list().filter(({ deleted }) => !deleted);
  }
}

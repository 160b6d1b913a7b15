// Networks that show a post differently from what they accepted: a read of the live post returns another text, or one file
// fewer. Whether a post is altered on an account is decided once and does not change.
import { type Alteration, altered } from "../../simulators/altered.ts";
import type { LedgerEntry } from "../../simulators/ledger.ts";
import { getThreadPosition } from "./attribution.ts";
import type { World } from "./world.ts";

/** A call that reads a post. */
interface ReadOf {
  platform: string;
  n: number;
  url: string;
}
const ODDS = 0.3;
/** Networks whose files are compared too. */
const FILES_SHOWN = ["bluesky", "x"];

export class AlteredPosts {
  readonly #world: World;
  /** Whether networks alter posts in this run. */
  isOn = false;
  /** null: shown as accepted. */
  readonly #how = new Map<LedgerEntry, Alteration | null>();
  /** Altered posts that have been read. */
  readonly #read = new Set<LedgerEntry>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether any of these entries was shown differently from what was accepted. */
  wasRead(entries: readonly LedgerEntry[]): boolean {
    return entries.some((entry) => this.#read.has(entry));
  }

  /** The network's answer about a post, altered if the post is. Further parts of a thread are never altered. */
  async shown(read: ReadOf, answer: Response): Promise<Response> {
    const entry = this.isOn ? this.#entryOf(read) : undefined;
    if (entry === undefined || getThreadPosition(entry) > 0) return answer;
    // A post that was once read as altered stays altered.
    if (!this.#read.has(entry) && !this.#isLive(read, entry)) return answer;
    const alteration = this.#howOf(entry);
    if (alteration === null) return answer;
    const before = await answer.clone().text();
    const after = await altered(answer, alteration);
    if (JSON.stringify(readJson(before)) !== JSON.stringify(readJson(await after.clone().text()))) {
      this.#world.note(`    ${read.platform} shows p${read.n} of ${entry.account} otherwise: ${alteration}`);
      this.#read.add(entry);
    }
    return after;
  }

  #howOf(entry: LedgerEntry): Alteration | null {
    const { chance } = this.#world;
    const known = this.#how.get(entry);
    if (known !== undefined) return known;
    const chosen = FILES_SHOWN.includes(entry.platform) && chance.happens(0.4) ? "drop_file" : "alter_text";
    const alteration = chance.happens(ODDS) ? chosen : null;
    this.#how.set(entry, alteration);
    return alteration;
  }

  #entryOf({ platform, url }: ReadOf): LedgerEntry | undefined {
    const entries = this.#world.networks.ledger.list({ platform });
    return entries.findLast(({ id }) => decodeURIComponent(url).includes(id.split("/").at(-1) ?? id));
  }

  /** Whether the call reads the live post on its own account. Earlier reads search for the post by its text. */
  #isLive({ platform, n }: ReadOf, { account }: LedgerEntry): boolean {
    const rows = this.#world.database.rows(
      `SELECT state FROM deliveries JOIN channels ON channels.id = deliveries.channel_id
       WHERE post_id = ? AND deliveries.platform = ? AND handle = ?`,
      this.#world.findPostId(n) ?? "",
      platform,
      account,
    );
    return rows.length > 0 && rows.every(({ state }) => state === "live");
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Networks that show a post otherwise than they accepted it: whoever reads it once it is live is answered another text, or one
// file fewer. It is so of a post of an account from the beginning, or never.
import { type Alteration, altered } from "../../simulators/altered.ts";
import type { LedgerEntry } from "../../simulators/ledger.ts";
import { partOf } from "./attribution.ts";
import type { World } from "./world.ts";

/** A call that reads about a post. */
interface ReadOf {
  platform: string;
  n: number;
  url: string;
}
const ODDS = 0.3;
/** Networks of which the files are read, too. */
const FILES_SHOWN = ["bluesky", "x"];

export class AlteredPosts {
  readonly #world: World;
  /** Whether any network does so. */
  isOn = false;
  /** null: as it was accepted. */
  readonly #how = new Map<LedgerEntry, Alteration | null>();
  /** Those that somebody has read so. */
  readonly #read = new Set<LedgerEntry>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Whether any of these was ever shown otherwise than it was accepted. */
  wasRead(entries: readonly LedgerEntry[]): boolean {
    return entries.some((entry) => this.#read.has(entry));
  }

  /** An answer about a post as its network gives it. Further parts of a thread are not compared. */
  async shown(read: ReadOf, answer: Response): Promise<Response> {
    const entry = this.isOn ? this.#entryOf(read) : undefined;
    if (entry === undefined || partOf(entry) > 0) return answer;
    // What somebody has read so stays so.
    if (!this.#read.has(entry) && !this.#isLive(read, entry)) return answer;
    const how = this.#howOf(entry);
    if (how === null) return answer;
    const before = await answer.clone().text();
    const after = await altered(answer, how);
    if (JSON.stringify(readJson(before)) !== JSON.stringify(readJson(await after.clone().text()))) {
      this.#world.note(`    ${read.platform} shows p${read.n} of ${entry.account} otherwise: ${how}`);
      this.#read.add(entry);
    }
    return after;
  }

  #howOf(entry: LedgerEntry): Alteration | null {
    const { chance } = this.#world;
    const known = this.#how.get(entry);
    if (known !== undefined) return known;
    const way = FILES_SHOWN.includes(entry.platform) && chance.happens(0.4) ? "drop_file" : "alter_text";
    const how = chance.happens(ODDS) ? way : null;
    this.#how.set(entry, how);
    return how;
  }

  #entryOf({ platform, url }: ReadOf): LedgerEntry | undefined {
    const entries = this.#world.networks.ledger.list({ platform });
    return entries.findLast(({ id }) => decodeURIComponent(url).includes(id.split("/").at(-1) ?? id));
  }

  /** Whether the post is said to be live on its own account. Before, it is looked for by what it says. */
  #isLive({ platform, n }: ReadOf, { account }: LedgerEntry): boolean {
    const rows = this.#world.database.rows(
      `SELECT state FROM deliveries JOIN channels ON channels.id = deliveries.channel_id
       WHERE post_id = ? AND deliveries.platform = ? AND handle = ?`,
      this.#world.postOf(n) ?? "",
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

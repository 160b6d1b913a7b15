// The delivery engine under simulation: random schedules of faults, hand-written scenarios, a crash at each call of the golden
// paths, and planted bugs that show what the simulation can see.
import { describe, expect, it } from "vitest";
import { CLASS_OF, PLATFORMS } from "./classes.ts";
import { PATHS } from "./enumerating.ts";
import { FULL_KINDS } from "./faults.ts";
import { caught, mutantTask, perform, performAll, spread } from "./jobs.ts";
import { MUTANTS, WITHIN } from "./mutants.ts";
import { checkPlanted, plant, planted } from "./planting.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { FULL_FROM, NEWEST_FROM, TURNING_FROM } from "./shapes.ts";
import type { Tally } from "./tally.ts";
import { aTask, type Task } from "./task.ts";

/** Runs every scenario, every crash, and some of the planted bugs that are caught soon. Takes minutes. */
const ALL = process.env.CRIER_SIMULATION_ALL === "1";
/** Runs every planted bug, including those that few schedules reveal. Takes an hour on two cores. */
const RARE = process.env.CRIER_SIMULATION_RARE === "1";
const FIRST_SEED = 7_008;
/** Half of them are full runs, half of these are rich runs, and in half of these the month turns. */
const SEEDS = Number(process.env.CRIER_SIMULATION_SEEDS ?? 200);
/** With this many schedules, every kind of fault strikes. */
const MANY = 1_000;
const TIMEOUT_MS = RARE ? 24 * 3_600_000 : 1_200_000;
/** A bug that one of the first schedules caught is caught by most schedules, even if the code around it changes. */
const SOON = 10;
const isSeenSoon = (mutant: string): boolean => {
  const last = caught[mutant] ?? "";
  return last in SCENARIOS || (last.startsWith("seed ") && Number(last.slice(5)) % FULL_FROM <= SOON);
};
/** Only one in so many of these bugs is planted, because all of them take longer than all other tests. */
const SAMPLED = 6;
const seenSoon = Object.keys(MUTANTS).filter(isSeenSoon);
const sought = RARE ? Object.keys(MUTANTS) : seenSoon.filter((_, i) => i % SAMPLED === 0);
/** The planted bugs whose schedules are also run without them: all, or one in so many. */
const unplanted = Object.entries(caught).filter((_, i) => RARE || i % SAMPLED === 0);

/** Schedules that revealed a bug of the engine or of its judge, each with that bug. */
const REGRESSIONS: Record<number, string> = {
  69: "any 200 to the last part of a TikTok video was taken for its word that it had the video",
  20062: "judge: the wait that one Instagram account was asked for was taken for that of another",
  20390: "a 429 without an error of the API's own: YouTube was asked again before its wait was over",
  20566: "judge: a lost answer explained a delivery that was never sent, and not the one whose answer it was",
  21022: "judge: a key was rotated, and no deploy ended what ran with the old one",
  101483: "judge: what waits for its network had a sweep each minute, which found nothing",
  300085: "a 429 without an error of the API's own left YouTube's videos unknown",
  300104: "judge: three deliveries that hang have all connections of an object",
  300134: "judge: of edits within one millisecond, one was overwritten that came last",
  302028: "judge: two uploads that hang have all connections for files of an object",
  300414: "judge: a request that told nobody, more than an hour before the time of its post, explained nothing",
  101944:
    "an image that never got to LinkedIn, though its upload was taken, was waited for until its post was too late",
  102109: "an event was given up within an hour, its tries used up by workers that ended",
  102165: "a file that could not be opened counted as a call that broke off",
  102859: "as 101944, with uploads that were refused before",
  110441: "what a network still worked on after an outage of a day was asked for once, and never searched for",
  1000019: "the audit took it for a fault that what is live was found altered",
  1000056: "of a thread whose first part had lost a file it was said that it was verified",
  1000217: "the event of a thread whose first address was not known yet had the address of its last part",
  6100332: "the wait that a network had asked for was forgotten when another session had written the delivery",
  7026952: "the wait that Instagram asked for was forgotten: another session had the delivery, and nothing was saved",
  702313:
    "a publisher that was taken over asked again what it was still writing, before the wait that its network wanted",
  6100826: "ends of the object while a video was prepared had it given up as soon as its network had accepted it",
  7010337: "the next part of a thread waited for the id of the one before, and never renewed the credential for it",
  712393: "a post that its network's cap had held back for a day was given up three seconds after it was sent",
  730157:
    "judge: of one post to two chats, the call to the first was taken for the call to the second, which was never made",
  1021526:
    "an answer of the database that was on its way for half a minute was taken for a clock that is wrong: the next post was as late",
  20132: "a bucket that was away for a minute failed posts with files as an internal error",
  709520: "judge: what a process had announced was committed after its end, and nobody had sent it",
  707748: "judge: posts that were sent again hours later had not been before others at their first time",
  21301378:
    "what was due on a channel waited for the next try of the delivery whose network had asked the channel to wait",
  73000177: "an alarm that rang late was waited for, though the sweeper had found what was due",
  74000389: "judge: a post for a channel that was connected again after a restore went out on it",
  74002270:
    "judge: of one post to two channels of YouTube, the look for a playlist of the first was taken for that of the second",
  80000084: "judge: of two calls under one key, that which had read the old month was told that it is full",
  7002371: "judge: what was declined was queued anew, and approved",
  7004388: "judge: the calls of threads were counted as if each were one post",
  7011481: "judge: a call of a process that had ended was taken for one that left",
  714055: "judge: a video was deleted by its owner while its network worked on it",
  7041691: "the wait that Threads asked for was forgotten when the part was live that it was asked about",
  7046748: "judge: a thread that its owner had disconnected was found partly out, and had stopped",
  7047496: "judge: questions whose processes stood still to the end were not known as asked",
  761704: "judge: uploads of one post to two accounts of TikTok were taken for one",
  7055944: "judge: an upload that stood still while it was under way was not known as a try",
  7061715: "judge: a send without an answer reached its network minutes later, once the post was taken down",
  780083: "judge: a video that was put off and then cancelled was not sent again, and nobody knows of it",
  776573: "judge: an outage outlasted the hour of an upload's address, and the video was begun anew",
  7070214: "a process that had stood still took a first comment for unsent that another had sent meanwhile",
  791289: "judge: an edit whose answer was lost had told nobody when its post is due",
  7073030: "judge: a takedown was to be asked for once more, after a day",
  920094:
    "judge: after the end of a process an alarm was set for later, and a delivery that came due before was left to the sweeper",
  80105100: "judge: a post was taken off Pinterest, whose channel had lost its token before",
  9211944: "judge: a channel of Bluesky is left alone for a minute if a 429 names no time",
  9215068: "judge: a takedown was answered 202, and a send that had been given up reached its network after it",
  9216472: "judge: a text waited behind a post with files that made no call in the meantime",
  21302635:
    "judge: a post for a channel that was disconnected before a restore went out once the account was reconnected",
  9205034: "judge: texts waited behind a post with files, whose calls do not say which post they are for",
  300108: "an alarm was lost after a process had ended in a send, and the sweeper left the send alone for five minutes",
  74002385: "a delivery that had been given up was given up again untried when its owner retried it",
  9203068:
    "judge: the last try of a takedown was due a minute before the schedule ended, between two rounds of the sweeper",
  7078559: "judge: a video was deleted by its owner before its network had said that it is out",
  7082927: "judge: a send was on its way for five minutes, and was there while its network worked on the second",
  7085361: "judge: a part whose send had no answer was removed by its owner, and sent again",
  815131: "judge: an edit whose answer was lost with the database's connection had told nobody when its post is due",
  815475: "judge: a video whose upload session was gone with its last bytes was sent again after an hour",
  840927: "judge: a process that was taken over was asked to wait, and its successor asked just then",
  7098210: "judge: a process stood still twice with a send that it had written down, and made it in the end",
  893803: "judge: a process ended in a send, and the repeat of its alarm gave way to a later one",
  7099026: "judge: a post was asked for twice under one key, and the second answer came first",
  7025198: "judge: a process that another had replaced sent a post again that was taken down meanwhile",
  7026832: "judge: a member who might approve no more became the owner, as the last owner was erased",
  739694: "judge: a network asked for a wait of a day, and the next post of its channel was a day late",
  1000051: "judge: what waited for approval was cancelled by a request that told nobody",
  1070415: "judge: a retry that came to nothing was asked for after the end, and the day was counted from it",
  20000070: "judge: a post that was made after a restore was compared with what stood before it",
  30002017:
    "a network that works on a post was asked at a fraction of a millisecond, and a clock showed it: no event had an id",
  70000397: "as 30002017",
  40000009: "judge: three ends at one delivery were no reason to give it up where ends at another had come before",
  41000180: "judge: the parts of a thread that one channel has to itself were no parts, and allowed no sends",
  70000803: "judge: an allowance of the day that D1 said was used up is asked after every ten minutes",
  70001760:
    "a send that was assumed after a restore was called one to a disconnected channel, which the restore had disconnected",
  70001279: "judge: a process ended in the send of a thread's part, which was found later and stopped the thread",
  70002927: "judge: the owner took one part of a thread off its network, and the thread stayed live",
  71000128: "judge: the newest events were counted by deliveries that had gone to the archive",
  71000233: "judge: a month counted posts that were in the archive when the database went back",
  7001828: "a first comment stayed due for days under a post whose takedown had ended as unknown",
  7001967: "an answer that named no account was taken for proof of an access token, which had ended",
  7000502: "judge: every sweep that would have deleted an object was struck, and the run ended before the next",
  30000344: "a workspace was moved without its approval setting: until the next sweep its posts went out unasked",
  111117: "a cancel that met an edit was acknowledged and not done: the draft was released and went out",
};

const NOTHING_WRONG = {
  broken: [],
  lost: 0,
  duplicated: 0,
  stuck: 0,
  falseLive: 0,
  falseFailed: 0,
  unconfirmedUnexplained: 0,
} satisfies Partial<Tally>;

describe("schedules", () => {
  it(`${SEEDS} of them lose, repeat, forget, misreport and delay nothing, whatever goes wrong`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const full = Math.floor(SEEDS / 2);
    const rich = Math.floor(full / 2);
    const turning = Math.floor(rich / 2);
    const known = [
      ...from(FULL_FROM + FIRST_SEED, full - rich),
      ...from(NEWEST_FROM + FIRST_SEED, rich - turning),
      ...from(TURNING_FROM + FIRST_SEED, turning),
    ];
    const tally = await spread(aTask({ known, first: FIRST_SEED, seeds: SEEDS - full }));
    expect(tally).toMatchObject({ runs: SEEDS, ...NOTHING_WRONG });
    expect(tally.live).toBeGreaterThan(SEEDS / 2);
    // A kind of fault that never strikes proves nothing.
    expect(FULL_KINDS.filter((kind) => SEEDS >= MANY && !tally.faults[kind])).toEqual([]);
  });

  it("that showed a bug once are clean", { timeout: TIMEOUT_MS }, async () => {
    // All of them in `--mode all`, otherwise one in twelve.
    const known = Object.keys(REGRESSIONS)
      .map(Number)
      .filter((_, i) => ALL || i % 12 === 0);
    expect(await spread(aTask({ known }))).toMatchObject({ runs: known.length, ...NOTHING_WRONG });
  });

  it.runIf(ALL)("that somebody thought of are as clean", { timeout: TIMEOUT_MS }, async () => {
    const broken: string[] = [];
    await performAll(
      parts(Object.keys(SCENARIOS), 20),
      (scenarios) => aTask({ scenarios }),
      (_, tally) => broken.push(...tally.broken.map(({ name, rules }) => `${name}: ${rules[0]}`)),
    );
    expect(broken).toEqual([]);
  });

  it("of one seed are the same each time", { timeout: TIMEOUT_MS }, async () => {
    const known = [...from(40, 3), ...from(FULL_FROM + 40, 3)];
    const [one, other] = await Promise.all([1, 2].map(() => perform(aTask({ known }))));
    expect(one?.digest).toBe(other?.digest);
  });
});

describe.runIf(ALL)("a crash at each call from the request to the event", () => {
  it("of each network: before it, after it took effect, and with its answer lost", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const tallies = new Map<string, Tally>();
    await performAll(
      PLATFORMS,
      (platform) => aTask({ crashes: "singles", only: [platform] }),
      (platform, tally) => tallies.set(platform, tally),
    );
    expect([...tallies.keys()].toSorted()).toEqual(PLATFORMS.toSorted());
    for (const [platform, tally] of tallies) {
      expect(tally, platform).toMatchObject(NOTHING_WRONG);
      // If the network keeps a token of ours, a crash costs only time.
      if (!CLASS_OF[platform]?.startsWith("d"))
        expect(tally, platform).toMatchObject({ live: tally.runs, unconfirmedExplained: 0 });
    }
  });
});

describe.runIf(ALL)("every kind of fault, with every real error text of the database", () => {
  it("is survived at every call of each golden path", { timeout: TIMEOUT_MS }, async () => {
    const tally = await spread(aTask({ paths: Object.keys(PATHS) }));
    expect(tally).toMatchObject(NOTHING_WRONG);
    expect(tally.runs).toBeGreaterThan(1_000);
  });
});

describe("the simulation sees", () => {
  it.runIf(ALL)(
    `each of ${sought.length} planted bugs within ${WITHIN} schedules`,
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const missed: string[] = [];
      await performAll(sought, mutantTask, (name, { broken }) => {
        if (broken.length === 0) missed.push(name);
      });
      expect(missed).toEqual([]);
    },
  );

  it.runIf(ALL)(
    "nothing in the schedules that caught them last, when they are not planted",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const broken: string[] = [];
      const tasks = new Map<string, Task>();
      for (const [mutant, schedule] of unplanted) {
        const { only = null } = MUTANTS[mutant] ?? {};
        const seed = Number(schedule.replace("seed ", ""));
        // Scenarios are all run above.
        if (Number.isNaN(seed)) continue;
        const known = tasks.get(String(only))?.known ?? [];
        tasks.set(
          String(only),
          aTask({ only: only === null ? null : [...only], known: [...new Set([...known, seed])] }),
        );
      }
      await performAll(
        [...tasks.values()],
        (task) => task,
        (_, tally) => broken.push(...tally.broken.map(({ name, rules }) => `${name}: ${rules[0]}`)),
      );
      expect(broken).toEqual([]);
    },
  );

  it("that a bug cannot be planted where there is no such export, or nothing is loaded", () => {
    expect(() => planted("src/a.ts", "nothing", { something: 1 })).toThrow("src/a.ts exports no nothing");
    plant([{ module: "src/a.ts", name: "something", make: () => 2 }]);
    expect(() => checkPlanted()).toThrow("src/a.ts was never loaded");
    expect(planted("src/a.ts", "something", { something: 1 })).toBe(2);
    expect(() => checkPlanted()).not.toThrow();
    plant([]);
  });
});

/** A number of consecutive seeds. */
const from = (first: number, seeds: number): number[] => Array.from({ length: seeds }, (_, i) => first + i);
/** A list in parts of `size`. */
const parts = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

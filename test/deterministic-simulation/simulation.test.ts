// The delivery engine under simulation: random schedules of faults, hand-written scenarios, a crash at each call of the golden
// paths, and planted bugs that show what the simulation can see.
import { describe, expect, it } from "vitest";
import { everyNth, isExtensive, isWhole } from "../support/runs.ts";
import { CLASS_OF, PLATFORMS } from "./classes.ts";
import { PATHS } from "./enumerating.ts";
import { FULL_KINDS } from "./faults.ts";
import { caught, mutantTask, perform, performAll, spread } from "./jobs.ts";
import { MUTANTS, WITHIN } from "./mutants.ts";
import { checkPlanted, plant, planted } from "./planting.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { FULL_FROM, SERIES_FROM, TURNING_SERIES_FROM } from "./shapes.ts";
import type { Tally } from "./tally.ts";
import { aTask, type Task } from "./task.ts";

/** How many of the longer lists run. `npm run test:nightly` runs everything, which takes hours on two cores. */
const STEPS = {
  regressions: { sample: 32, most: 3 },
  scenarios: { sample: 1, most: 3 },
  networks: { sample: 1, most: 2 },
  paths: { sample: 1, most: 2 },
  plantedBugs: { sample: 1, most: 40 },
};
const FIRST_SEED = 7_008;
/** Half of them are full runs, half of these are rich runs, and in half of these the month turns. */
const SEEDS = Number(process.env.CRIER_SIMULATION_SEEDS ?? 200);
/** With this many schedules, every kind of fault strikes. */
const MANY = 1_000;
const TIMEOUT_MS = isWhole ? 24 * 3_600_000 : 1_200_000;
/** A bug that one of the first schedules caught is caught by most schedules, even if the code around it changes. */
const SOON = 10;
const isSeenSoon = (mutant: string): boolean => {
  const last = caught[mutant] ?? "";
  return last in SCENARIOS || (last.startsWith("seed ") && Number(last.slice(5)) % FULL_FROM <= SOON);
};
/** Bugs that few schedules reveal are only planted in a nightly run. */
const sought = isWhole ? Object.keys(MUTANTS) : everyNth(Object.keys(MUTANTS).filter(isSeenSoon), STEPS.plantedBugs);
/** The planted bugs whose schedules are also run without them. */
const unplanted = everyNth(Object.entries(caught), STEPS.plantedBugs);

/** Schedules that revealed a bug of the engine or of its judge, each with that bug. */
const REGRESSIONS: Record<number, string> = {
  69: "a TikTok upload was considered complete after any 200 to its last chunk",
  20062: "judge: the wait that one Instagram account was asked for was applied to another account",
  20390: "after a 429 without an error body, YouTube was asked again before its wait was over",
  20566: "judge: a lost answer explained a delivery that was never sent, and not the delivery whose answer it was",
  21022: "judge: after a key rotation, no deploy ended the processes with the old key",
  101483: "judge: deliveries that wait for their network had a sweep each minute that found nothing",
  300085: "after a 429 without an error body, YouTube's videos stayed unknown",
  300104: "judge: three hanging deliveries occupy all connections of an object",
  300134: "judge: of several edits within one millisecond, the last one was overwritten",
  302028: "judge: two hanging uploads occupy all connections for files of an object",
  300414: "judge: a failed request more than an hour before its post's time explained nothing",
  101944: "an image whose upload was accepted but never reached LinkedIn was awaited until its post was too late",
  102109: "an event was given up within an hour, because workers that ended had used up its tries",
  102165: "a file that could not be opened counted as a broken call",
  102859: "as 101944, with earlier uploads that were refused",
  110441: "a post that its network still worked on after an outage of a day was asked for once and never searched for",
  1000019: "the audit reported a live post that its network shows differently",
  1000056: "a thread whose first part had lost a file was reported as verified",
  1000217: "the event of a thread whose first address was unknown had the address of its last part",
  6100332: "a network's wait was lost because another session had written the delivery",
  7026952: "Instagram's wait was lost because another session had the delivery and nothing was saved",
  702313: "a replaced publisher asked about its own open call before the network's wait was over",
  6100826:
    "a video was given up as soon as its network had accepted it, because its object had ended during preparation",
  7010337: "a thread waited for the id of a part without renewing its credential",
  712393: "a post that its network's cap had held back for a day was given up three seconds after it was sent",
  730157: "judge: of one post to two chats, the call to the first was mistaken for a call to the second",
  1021526: "a database answer that took half a minute was taken for a wrong clock, and the next post was as late",
  20132: "a bucket that was away for a minute failed posts with files as internal_error",
  709520: "judge: an announcement was committed after the end of its process, and the send was never made",
  707748: "judge: posts that were retried hours later had not come first at their original time",
  21301378:
    "due posts of a channel waited for the next try of the delivery whose network had asked the channel to wait",
  73000177: "the engine waited for a late alarm although the sweeper had found the due post",
  74000389: "judge: a post for a channel that was reconnected after a restore went out on it",
  74002270:
    "judge: of one post to two YouTube channels, the playlist check of the first was mistaken for that of the second",
  80000084: "judge: of two requests under one key, the one that had read the old month was told that it is full",
  7002371: "judge: a declined post was queued and approved again",
  7004388: "judge: the calls of threads were counted as if each thread were one post",
  7011481: "judge: a call of a dead process was counted as made",
  714055: "judge: the owner deleted a video while its network worked on it",
  7041691: "Threads' wait was lost when the part that it was asked about went live",
  7046748: "judge: a thread whose owner had disconnected the channel was found partly published, and had stopped",
  7047496: "judge: questions of processes that were frozen until the end did not count as asked",
  761704: "judge: uploads of one post to two TikTok accounts were mistaken for each other",
  7055944: "judge: an upload that was frozen in progress did not count as a try",
  7061715: "judge: a send without an answer reached its network minutes after the takedown",
  780083: "judge: a video that was postponed and then cancelled was not sent again, and its outcome is unknown",
  776573: "judge: an outage outlasted the hour of an upload's address, and the video was started again",
  7070214: "a frozen process considered a first comment unsent that another process had sent meanwhile",
  791289: "judge: an edit without an answer had not told the publisher when its post is due",
  7073030: "judge: the last try of a takedown was due a day later",
  920094:
    "judge: after the end of a process, a later alarm was set, and the sweeper found the delivery that was due earlier",
  80105100: "judge: a post was taken down from Pinterest after its channel had lost its token",
  9211944: "judge: a Bluesky channel pauses for a minute after a 429 that names no time",
  9215068: "judge: a takedown was answered with 202, and a send that had been given up reached its network afterwards",
  9216472: "judge: a text waited behind a post with files that made no call meanwhile",
  21302635:
    "judge: a post for a channel that was disconnected before a restore went out once the account was reconnected",
  9205034: "judge: texts waited behind a post with files, whose calls do not name their post",
  300108: "an alarm was lost after a process had ended in a send, and the sweeper ignored the send for five minutes",
  74002385: "a delivery that had been given up was given up again, untried, when its owner retried it",
  9203068: "judge: the last try of a takedown was due a minute before the end of the run, between two sweeps",
  7078559: "judge: the owner deleted a video before its network had reported it as published",
  7082927: "judge: a send took five minutes to arrive, and did so while its network worked on the second one",
  7085361: "judge: the owner deleted a part whose send had no answer, and it was sent again",
  815131: "judge: an edit whose answer was lost with the database's connection had not told the publisher the new time",
  815475: "judge: a video whose upload session disappeared with its last bytes was sent again after an hour",
  840927: "judge: a replaced process was asked to wait, and its successor asked at the same time",
  7098210: "judge: a process froze twice between announcing a send and making it",
  893803: "judge: a process ended in a send, and a later alarm replaced the repetition of its alarm",
  7099026: "judge: a post was requested twice under one key, and the second answer came first",
  7025198: "judge: a replaced process sent a post again that was taken down meanwhile",
  7026832: "judge: a member without the right to approve became the owner when the last owner was erased",
  739694: "judge: a network asked for a wait of a day, and the next post of its channel was a day late",
  1000051: "judge: a post that waited for approval was cancelled by a request whose answer was lost",
  9321145: "judge: a post waited for the next renewal of its channel's token, which had failed often",
  1070415: "judge: the day of a delivery was counted from a refused retry after its end",
  20000070: "judge: a post that was created after a restore was compared with the state before it",
  30002017: "a network was polled at a fraction of a millisecond, a clock showed the fraction, and events had no id",
  70000397: "as 30002017",
  40000009: "judge: three ends at one delivery did not explain its failure if ends at another delivery had come before",
  41000180: "judge: the parts of a thread that only one channel has did not count, and allowed no sends",
  70000803: "judge: a database that has reached its daily limit is asked again after ten minutes each time",
  70001760:
    "a send that was assumed after a restore was reported as one to a disconnected channel, which the restore had disconnected",
  70001279: "judge: a process ended in the send of a part, which was found later and stopped the thread",
  70002927: "judge: the owner deleted one part of a thread, and the thread stayed live",
  71000128: "judge: the newest events counted deliveries that had moved to the archive",
  71000233: "judge: a month counted posts that were in the archive when the database was restored",
  7001828: "a first comment stayed due for days under a post whose takedown had ended as unknown",
  9270090: "judge: a first comment stayed due while the last try of its post's takedown was a day away",
  7001967: "an answer that named no account was taken for proof of an access token that had expired",
  7000502: "judge: every sweep that would have deleted an object was struck, and the run ended before the next one",
  30000344: "a workspace was moved without its approval setting, so its posts went out unapproved until the next sweep",
  111117:
    "a cancellation that met an edit was acknowledged but not carried out, and the draft was released and went out",
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
  it(`${SEEDS} random schedules of faults lose, duplicate, misreport and delay nothing`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const full = Math.floor(SEEDS / 2);
    const rich = Math.floor(full / 2);
    const turning = Math.floor(rich / 2);
    const known = [
      ...from(FULL_FROM + FIRST_SEED, full - rich),
      ...from(SERIES_FROM + FIRST_SEED, rich - turning),
      ...from(TURNING_SERIES_FROM + FIRST_SEED, turning),
    ];
    const tally = await spread(aTask({ known, first: FIRST_SEED, seeds: SEEDS - full }));
    expect(tally).toMatchObject({ runs: SEEDS, ...NOTHING_WRONG });
    expect(tally.live).toBeGreaterThan(SEEDS / 2);
    // A kind of fault that never strikes proves nothing.
    expect(FULL_KINDS.filter((kind) => SEEDS >= MANY && !tally.faults[kind])).toEqual([]);
  });

  it("schedules that once revealed a bug keep every promise", { timeout: TIMEOUT_MS }, async () => {
    const known = everyNth(Object.keys(REGRESSIONS).map(Number), STEPS.regressions);
    expect(await spread(aTask({ known }))).toMatchObject({ runs: known.length, ...NOTHING_WRONG });
  });

  it.runIf(isExtensive)("hand-written scenarios keep every promise", { timeout: TIMEOUT_MS }, async () => {
    const broken: string[] = [];
    await performAll(
      parts(everyNth(Object.keys(SCENARIOS), STEPS.scenarios), 10),
      (scenarios) => aTask({ scenarios }),
      (_, tally) => broken.push(...tally.broken.map(({ name, rules }) => `${name}: ${rules[0]}`)),
    );
    expect(broken).toEqual([]);
  });

  it("two runs of one seed are identical", { timeout: TIMEOUT_MS }, async () => {
    const known = [...from(40, 3), ...from(FULL_FROM + 40, 3)];
    const [one, other] = await Promise.all([1, 2].map(() => perform(aTask({ known }))));
    expect(one?.digest).toBe(other?.digest);
  });
});

describe.runIf(isExtensive)("crashes", () => {
  it("at each call of each network's golden path, before and after it and with its answer lost, break no promise", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const tallies = new Map<string, Tally>();
    const platforms = everyNth(PLATFORMS, STEPS.networks);
    await performAll(
      platforms,
      (platform) => aTask({ crashes: "singles", only: [platform] }),
      (platform, tally) => tallies.set(platform, tally),
    );
    expect([...tallies.keys()].toSorted()).toEqual(platforms.toSorted());
    for (const [platform, tally] of tallies) {
      expect(tally, platform).toMatchObject(NOTHING_WRONG);
      // If the network keeps a token of ours, a crash costs only time.
      if (!CLASS_OF[platform]?.startsWith("d"))
        expect(tally, platform).toMatchObject({ live: tally.runs, unconfirmedExplained: 0 });
    }
  });
});

describe.runIf(isExtensive)("single faults", () => {
  it("of every kind, with every error text of the database, break no promise at any call of the golden paths", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const tally = await spread(aTask({ paths: everyNth(Object.keys(PATHS), STEPS.paths) }));
    expect(tally).toMatchObject(NOTHING_WRONG);
    expect(tally.runs).toBeGreaterThan(isWhole ? 1_000 : 400);
  });
});

describe("planted bugs", () => {
  it.runIf(isExtensive)(
    `each of ${sought.length} planted bugs is caught within ${WITHIN} schedules`,
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

  it.runIf(isExtensive)(
    "the schedules that caught planted bugs are clean without them",
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const broken: string[] = [];
      const tasks = new Map<string, Task>();
      for (const [mutant, schedule] of unplanted) {
        const { only = null } = MUTANTS[mutant] ?? {};
        const seed = Number(schedule.replace("seed ", ""));
        // Scenarios are run above.
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

  it("planting a bug in a missing export, or in a module that is never loaded, throws", () => {
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

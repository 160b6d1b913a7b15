// `npm run bench:neighbours`: how much a noisy neighbour delays a post of another tenant, and a post of its own
// workspace on another network. Each pair is measured in one run by the simulators' ledger, first without the noise
// and then with it. It ends by itself with all of its processes. Linux only.
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { whenStopped } from "../../scripts/local/when-stopped.ts";
import { type Engine, startEngine } from "./engine.ts";
import { CASES, type NeighbourCase } from "./neighbour-cases.ts";
import { type BenchWorkspace, connectAs, createPosts, makeWorkspaces, type Planned, sideBySide } from "./world.ts";

const { values } = parseArgs({
  options: {
    /** A folder with another release, which is also measured. */
    against: { type: "string" },
    /** The names of the cases to run; default: all. */
    only: { type: "string", default: CASES.map(({ name }) => name).join(",") },
    json: { type: "boolean", default: false },
  },
});

/** When the quiet posts are due, in milliseconds after the noise. */
const PROBES_MS = [0, 1_000, 2_500, 5_000, 8_000, 12_000, 16_000, 20_000];
/** The measurement does not wait longer for a post. */
const WAIT_MAX_MS = 70_000;
const OTHER_MAX_MS = 1_000;
const SAME_MAX_MS = 5_000;

/** The lateness of the latest quiet post in milliseconds; infinite if one never arrived. */
interface ProbeDelays {
  other: number;
  same: number;
}
interface Pair {
  engine: string;
  label: string;
  without: ProbeDelays;
  with: ProbeDelays;
  /** The final statuses of the noise's own posts from the API. */
  noise: Record<string, number>;
}

const engines: Engine[] = [];
const stop = async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
};
whenStopped(() => void stop().finally(() => process.exit(1)));

/** Runs one case on a separate engine, so that its remains do not disturb the next. */
async function measure(name: string, folder: string | undefined, neighbourCase: NeighbourCase): Promise<Pair> {
  const engine = await startEngine(name, folder);
  engines.push(engine);
  try {
    const { call } = engine;
    const [noisy, otherTenant] = await makeWorkspaces(call, "neighbour", 2);
    if (noisy === undefined || otherTenant === undefined) throw new Error("there is no workspace");
    // Connected first, so that the quiet channel shares its lane with most of the noise.
    await connectAs(call, noisy, neighbourCase.sameNetwork, "quietsame");
    await connectAs(call, otherTenant, neighbourCase.otherNetwork, "quietother");
    const [sameChannel] = noisy.channels;
    const noise = await neighbourCase.prepare(engine, noisy);
    try {
      const probes = (phase: string, startAt: number): Planned[] =>
        PROBES_MS.flatMap((afterMs) => [
          {
            workspace: otherTenant,
            channels: otherTenant.channels.map(({ id }) => id),
            text: `${phase} other ${afterMs}`,
            at: startAt + afterMs,
          },
          {
            workspace: noisy,
            channels: [sameChannel?.id ?? ""],
            text: `${phase} same ${afterMs}`,
            at: startAt + afterMs,
          },
        ]);
      const quietAt = Date.now() + 6_000;
      const perSecond = await createPosts(call, probes("quiet", quietAt));
      const without = await readDelays(engine, "quiet", quietAt);

      // Even if each takes twice as long as before.
      const noisyAt = Math.ceil(Date.now() + 5_000 + ((noise.posts.length + 2 * PROBES_MS.length) / perSecond) * 2_000);
      await sideBySide(noise.posts, 8, async (post) => {
        await call("POST", "/v1/posts", noisy.key, { ...post, publish_at: new Date(noisyAt).toISOString() });
      });
      await createPosts(call, probes("noisy", noisyAt));
      if (Date.now() > noisyAt)
        throw new Error("not all posts were created before they were due: the machine is too busy");
      noise.begin();
      const withNoise = await readDelays(engine, "noisy", noisyAt);
      return {
        engine: name,
        label: neighbourCase.label,
        without,
        with: withNoise,
        noise: await statuses(engine, noisy),
      };
    } finally {
      await noise.end();
    }
  } finally {
    await stop();
  }
}

/** Waits for all quiet posts of a phase that began at `at`. */
async function readDelays({ simulators }: Engine, phase: string, dueAt: number): Promise<ProbeDelays> {
  const listDelays = (probe: string) =>
    PROBES_MS.map((afterMs) => {
      const entry = simulators.ledger.list().find(({ text }) => text === `${phase} ${probe} ${afterMs}`);
      return entry === undefined ? Number.POSITIVE_INFINITY : entry.at_ms - dueAt - afterMs;
    });
  for (;;) {
    const [otherDelay, sameDelay] = [Math.max(...listDelays("other")), Math.max(...listDelays("same"))];
    if ((Number.isFinite(otherDelay) && Number.isFinite(sameDelay)) || Date.now() > dueAt + WAIT_MAX_MS)
      return { other: otherDelay, same: sameDelay };
    await sleep(200);
  }
}

/** The number of deliveries of a workspace by status, from the API. */
async function statuses({ call }: Engine, { key }: BenchWorkspace): Promise<Record<string, number>> {
  const { posts } = await call<{ posts: { text: string; deliveries: { status: string }[] }[] }>(
    "GET",
    "/v1/posts?limit=200",
    key,
  );
  const counts: Record<string, number> = {};
  for (const { status } of posts.flatMap(({ text, deliveries }) => (text.startsWith("noise") ? deliveries : []))) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const formatDelay = (ms: number) =>
  Number.isFinite(ms) ? `${Math.round(ms)} ms` : `> ${(WAIT_MAX_MS - 20_000) / 1000} s`;
const formatComparison = (without: number, withNoise: number, maxMs: number) =>
  `${formatDelay(without)} / ${formatDelay(withNoise)}${withNoise - without > maxMs ? "  LATE" : ""}`;

const makeRow = (pair: Pair): string[] => [
  pair.engine,
  pair.label,
  formatComparison(pair.without.other, pair.with.other, OTHER_MAX_MS),
  formatComparison(pair.without.same, pair.with.same, SAME_MAX_MS),
  Object.entries(pair.noise)
    .map(([status, count]) => `${count} ${status}`)
    .join(", "),
];

const chosenNames = new Set(values.only.split(","));
const pairs: Pair[] = [];
for (const neighbourCase of CASES.filter(({ name }) => chosenNames.has(name))) {
  for (const [name, folder] of [
    ["now", undefined],
    ["before", values.against],
  ] as const) {
    if (name === "before" && folder === undefined) continue;
    if (!values.json) console.error(`${new Date().toISOString().slice(11, 19)} ${name}: ${neighbourCase.label}`);
    const pair = await measure(name, folder, neighbourCase);
    if (!values.json) console.error(`         ${makeRow(pair).slice(2).join(" | ")}`);
    pairs.push(pair);
  }
}
if (values.json) {
  console.log(JSON.stringify(pairs, null, 2));
} else {
  const rows = [
    ["", "noisy neighbour", "other tenant without / with", "same workspace without / with", "deliveries of the noise"],
    ...pairs.map(makeRow),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log(
    `lateness of the latest of ${PROBES_MS.length} posts; load ${loadavg()[0]?.toFixed(1)}; the noise may add 1 s (other tenant) and 5 s (same workspace)`,
  );
  for (const row of rows)
    console.log(
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

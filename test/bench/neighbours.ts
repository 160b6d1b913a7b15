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
interface Late {
  other: number;
  same: number;
}
interface Pair {
  engine: string;
  label: string;
  without: Late;
  with: Late;
  /** The final statuses of the noise's own posts from the API. */
  noise: Record<string, number>;
}

const engines: Engine[] = [];
const stop = async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
};
whenStopped(() => void stop().finally(() => process.exit(1)));

/** Runs one case on a separate engine, so that its remains do not disturb the next. */
async function measure(name: string, folder: string | undefined, one: NeighbourCase): Promise<Pair> {
  const engine = await startEngine(name, folder);
  engines.push(engine);
  try {
    const { call } = engine;
    const [noisy, other] = await makeWorkspaces(call, "neighbour", 2);
    if (noisy === undefined || other === undefined) throw new Error("there is no workspace");
    // Connected first, so that the quiet channel shares its lane with most of the noise.
    await connectAs(call, noisy, one.sameNetwork, "quietsame");
    await connectAs(call, other, one.otherNetwork, "quietother");
    const [same] = noisy.channels;
    const noise = await one.prepare(engine, noisy);
    try {
      const probes = (phase: string, at: number): Planned[] =>
        PROBES_MS.flatMap((afterMs) => [
          {
            workspace: other,
            channels: other.channels.map(({ id }) => id),
            text: `${phase} other ${afterMs}`,
            at: at + afterMs,
          },
          { workspace: noisy, channels: [same?.id ?? ""], text: `${phase} same ${afterMs}`, at: at + afterMs },
        ]);
      const quietAt = Date.now() + 6_000;
      const perSecond = await createPosts(call, probes("quiet", quietAt));
      const without = await latest(engine, "quiet", quietAt);

      // Even if each takes twice as long as before.
      const noisyAt = Math.ceil(Date.now() + 5_000 + ((noise.posts.length + 2 * PROBES_MS.length) / perSecond) * 2_000);
      await sideBySide(noise.posts, 8, async (post) => {
        await call("POST", "/v1/posts", noisy.key, { ...post, publish_at: new Date(noisyAt).toISOString() });
      });
      await createPosts(call, probes("noisy", noisyAt));
      if (Date.now() > noisyAt) throw new Error("the posts were not all there at their time: the machine is too busy");
      noise.begin();
      const withNoise = await latest(engine, "noisy", noisyAt);
      return { engine: name, label: one.label, without, with: withNoise, noise: await statuses(engine, noisy) };
    } finally {
      await noise.end();
    }
  } finally {
    await stop();
  }
}

/** Waits for all quiet posts of a phase that began at `at`. */
async function latest({ simulators }: Engine, phase: string, at: number): Promise<Late> {
  const late = (who: string) =>
    PROBES_MS.map((afterMs) => {
      const entry = simulators.ledger.list().find(({ text }) => text === `${phase} ${who} ${afterMs}`);
      return entry === undefined ? Number.POSITIVE_INFINITY : entry.at_ms - at - afterMs;
    });
  for (;;) {
    const [other, same] = [Math.max(...late("other")), Math.max(...late("same"))];
    if ((Number.isFinite(other) && Number.isFinite(same)) || Date.now() > at + WAIT_MAX_MS) return { other, same };
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
  const found: Record<string, number> = {};
  for (const { status } of posts.flatMap(({ text, deliveries }) => (text.startsWith("noise") ? deliveries : []))) {
    found[status] = (found[status] ?? 0) + 1;
  }
  return found;
}

const shown = (ms: number) => (Number.isFinite(ms) ? `${Math.round(ms)} ms` : `> ${(WAIT_MAX_MS - 20_000) / 1000} s`);
const judged = (without: number, withNoise: number, maxMs: number) =>
  `${shown(without)} / ${shown(withNoise)}${withNoise - without > maxMs ? "  LATE" : ""}`;

const lineOf = (pair: Pair): string[] => [
  pair.engine,
  pair.label,
  judged(pair.without.other, pair.with.other, OTHER_MAX_MS),
  judged(pair.without.same, pair.with.same, SAME_MAX_MS),
  Object.entries(pair.noise)
    .map(([status, count]) => `${count} ${status}`)
    .join(", "),
];

const wanted = new Set(values.only.split(","));
const pairs: Pair[] = [];
for (const one of CASES.filter(({ name }) => wanted.has(name))) {
  for (const [name, folder] of [
    ["now", undefined],
    ["before", values.against],
  ] as const) {
    if (name === "before" && folder === undefined) continue;
    if (!values.json) console.error(`${new Date().toISOString().slice(11, 19)} ${name}: ${one.label}`);
    const pair = await measure(name, folder, one);
    if (!values.json) console.error(`         ${lineOf(pair).slice(2).join(" | ")}`);
    pairs.push(pair);
  }
}
if (values.json) {
  console.log(JSON.stringify(pairs, null, 2));
} else {
  const rows = [
    ["", "noisy neighbour", "other tenant without / with", "same workspace without / with", "the noise itself"],
    ...pairs.map(lineOf),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  console.log(
    `latest of ${PROBES_MS.length} posts; load ${loadavg()[0]?.toFixed(1)}; at most 1 s and 5 s later with than without`,
  );
  for (const row of rows)
    console.log(
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

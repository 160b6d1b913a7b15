// The README's first hour, each block run as it is pasted: in a plain shell, against a demo that has just been made.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { json, type Run, start, stopAll } from "./running.ts";

const root = join(import.meta.dirname, "../../..");
const readme = await readFile(join(root, "README.md"), "utf8");
/** The shell blocks between two headings. */
const blocks = (from: string, to: string) =>
  [...readme.slice(readme.indexOf(from), readme.indexOf(to)).matchAll(/^```sh\n(.*?)^```/gms)].map(
    ([, lines]) => lines ?? "",
  );
const [install, ...tries] = blocks("## Try it", "### Making the networks");
const faults = blocks("### Making the networks", "## The command line");
const cli = blocks("## The command line", "## Connect an agent");

let run: Run;
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "crier-reader-"));
  run = await start({});
  await vi.waitFor(() => expect(run.output()).toMatch(/youtube +live/), { timeout: 60_000, interval: 100 });
});
afterAll(async () => {
  await stopAll();
  await rm(home, { recursive: true, force: true });
});

/** Runs lines at the addresses of this run. A line that fails ends them, and the test. */
async function shell(lines: string[]): Promise<string> {
  const here = lines
    .join("\n")
    .replaceAll("http://127.0.0.1:8787", run.url)
    .replaceAll("http://127.0.0.1:8788", run.simulators)
    .replaceAll(".wrangler/state", run.state);
  const env = { HOME: home, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
  const { stdout } = await promisify(execFile)("sh", ["-euc", here], { cwd: root, env });
  return stdout;
}

it("begins with what this test does by itself", () => {
  expect(install).toBe("npm install && npm start\n");
  expect([tries.length, faults.length, cli.length]).toEqual([4, 2, 2]);
});

it("no block has a comment: pasted into zsh, that is a command", () => {
  for (const block of [...tries, ...faults, ...cli]) expect(block).not.toMatch(/(^|\s)#/m);
});

describe("as pasted", () => {
  it("a channel is connected, and a post goes out at its time", async () => {
    expect(await shell(tries)).toMatch(/platform: 'bluesky',\s+status: 'pending'/);
    await vi.waitFor(
      async () => {
        const { ledger } = await json<{ ledger: LedgerEntry[] }>(
          `${run.simulators}/_sim/ledger?account=you.bsky.social`,
        );
        expect(ledger.map(({ text }) => text)).toEqual(["Hello, networks!"]);
      },
      { timeout: 30_000, interval: 100 },
    );
  });

  it("the command line signs in and posts", async () => {
    const crier = `crier() { node '${join(root, "cli/main.ts")}' "$@"; }`;
    const [pack, use] = cli;
    expect(pack).toBe("npm run -s pack:cli\nnpm install -g ./.wrangler/cli/crier-0.1.0.tgz\n");
    const out = await shell([crier, tries[0] ?? "", use ?? ""]);
    expect(out).toContain("you.bsky.social");
    expect(out).toMatch(/scheduled/);
  });

  it("a fault is armed, a post is removed, and all is forgotten", async () => {
    expect(await shell(faults)).toContain('"call":"sendMessage"');
    expect((await json<{ ledger: [] }>(`${run.simulators}/_sim/ledger`)).ledger).toEqual([]);
  });
});

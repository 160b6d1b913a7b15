// Runs the commands of the documents against a local run with its demo. Only the ports and the state directory
// differ.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { LedgerEntry } from "../../../simulators/ledger.ts";
import { DOCUMENTS, findCodeBlocks, ROOT } from "../../support/documents/markdown.ts";
import { json, type Run, start, stopAll } from "./running.ts";

const exec = promisify(execFile);

/** An answer of 4xx or 5xx is a failure here, and `crier` runs without being packed. */
const PRELUDE = `curl() { command curl --fail-with-body --max-time 60 "$@"; }
crier() { node cli/main.ts "$@"; }
`;

let run: Run;
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "crier-reader-"));
  run = await start({});
  await vi.waitFor(() => expect(run.output()).toContain("Published "), { timeout: 60_000, interval: 100 });
});
afterAll(async () => {
  await stopAll();
  await rm(home, { recursive: true, force: true });
});

/** Runs all marked blocks of a document in one shell, as a reader does, and returns their output. */
async function runBlocks(file: string): Promise<string> {
  const code = findCodeBlocks(file)
    .filter(({ isRun }) => isRun)
    .map(({ code }) => code)
    .join("\n")
    .replaceAll("http://127.0.0.1:8787", run.url)
    .replaceAll("http://127.0.0.1:8788", run.simulators)
    .replaceAll("./.wrangler/state/", `${run.state}/`);
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const { stdout } = await exec("sh", ["-euc", PRELUDE + code], { cwd: ROOT, env: { PATH, HOME: home } }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${file}\n${stdout}\n${stderr}`);
    },
  );
  return stdout;
}

const accepted = async (text: string) => {
  const { ledger } = await json<{ ledger: LedgerEntry[] }>(`${run.simulators}/_sim/ledger`);
  return ledger.filter((entry) => entry.text === text).map(({ platform }) => platform);
};

it("README.md: the demo's key posts to two networks, and a dry run to none", async () => {
  const output = await runBlocks("README.md");
  expect((await accepted("Hello, networks!")).sort()).toEqual(["bluesky", "telegram"]);
  expect(output).toContain("Hello again!");
  expect(await accepted("Hello again!")).toEqual([]);
});

const otherDocuments = DOCUMENTS.filter((file) => file !== "README.md" && file !== "docs/networks.md");
it.each(otherDocuments.filter((file) => findCodeBlocks(file).some(({ isRun }) => isRun)))(
  "%s: runs all marked commands without a failure",
  async (file) => {
    expect(await runBlocks(file)).not.toBe("");
  },
);

// The last block makes the networks forget everything.
it("docs/networks.md: a post whose answer was lost is published once", async () => {
  const output = await runBlocks("docs/networks.md");
  const { ledger }: { ledger: LedgerEntry[] } = JSON.parse(/^\{"ledger":.*\}$/m.exec(output)?.[0] ?? "null");
  expect(ledger.filter(({ text }) => text === "Sent once")).toHaveLength(1);
  expect(await accepted("Sent once")).toEqual([]);
});

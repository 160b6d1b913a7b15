// Checks that need the operator's own files and account: whether a backup can be restored, and the figures of Cloudflare's
// analytics.
import { spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { ROOT } from "../deploy/installation.ts";
import { askAnalytics, durationPerCall, QUESTIONS } from "./analytics.ts";
import { expectThat, type Smoke } from "./run.ts";

/** The maximum gigabyte-seconds of a call whose object is released afterwards (docs/performance.md). */
const DURATION_MAX_GBS = 0.3;
/** Characters shown of a failed command's output. */
const OUTPUT_SHOWN = 500;

/** Runs a command to completion. Throws the end of its output if it fails. */
export async function runCommand(command: string, args: string[], shell = false): Promise<string> {
  const child = spawn(command, args, { cwd: ROOT, shell, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("close", resolve).once("error", reject),
  );
  expectThat(code === 0, `${[command, ...args].join(" ")} ended with ${code}: ${output.trim().slice(-OUTPUT_SHOWN)}`);
  return output;
}

/** Restores a backup into an empty local state, backs that up again, and compares both files line by line. */
export async function checkBackup({ backup, check, skip }: Pick<Smoke, "backup" | "check" | "skip">): Promise<void> {
  if (backup === null) return skip("backup and restore", "needs a file that npm run backup wrote: --backup FILE");
  await check("backup and restore", async () => {
    const folder = await mkdtemp(join(tmpdir(), "crier-smoke-"));
    try {
      const [state, again] = [join(folder, "state"), join(folder, "again.backup")];
      const local = ["--local", "--persist-to", state];
      await runCommand(process.execPath, ["scripts/restore.ts", backup, ...local, "--stayed-paused"]);
      await runCommand(process.execPath, ["scripts/backup.ts", again, ...local]);
      const [lines, isSame] = await compareLines(backup, again);
      expectThat(isSame, `line ${lines} of the backup was not restored unchanged`);
      return `${lines} lines were restored unchanged`;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/**
 * The number of leading lines that two backups share, and whether those are all lines. The header contains the creation
 * time, and the last line a checksum that covers it; both are ignored.
 */
async function compareLines(before: string, after: string): Promise<[number, boolean]> {
  const readLines = (file: string) =>
    createInterface({ input: createReadStream(file).pipe(createGunzip()) })[Symbol.asyncIterator]();
  const [leftLines, right] = [readLines(before), readLines(after)];
  let differsAt: number | null = null;
  for (let count = 0; ; count++) {
    const [a, b] = await Promise.all([leftLines.next(), right.next()]);
    if (a.done === true || b.done === true) {
      const isSame = a.done === b.done && (differsAt === null || differsAt === count);
      return [isSame ? count : (differsAt ?? count + 1), isSame];
    }
    if (count > 0 && a.value !== b.value) differsAt ??= count + 1;
  }
}

/** Queries Cloudflare's figures for the last day. */
export async function checkAnalytics({ analytics, check, skip }: Pick<Smoke, "analytics" | "check" | "skip">) {
  const names = QUESTIONS.map(({ subject }) => `analytics, ${subject}`);
  if (analytics === null) {
    for (const name of ["object let go", ...names]) skip(name, "a day later: --analytics");
    return;
  }
  const now = Date.now();
  const rowsOf = new Map<string, Awaited<ReturnType<typeof askAnalytics>>>();
  for (const question of QUESTIONS) {
    await check(`analytics, ${question.subject}`, async () => {
      const rows = await askAnalytics(analytics, question, now);
      rowsOf.set(question.dataset, rows);
      const alarming = question.judge(rows);
      expectThat(alarming.length === 0, alarming.join("; "));
      return rows.length === 0 ? "there is no data yet" : `${rows.length} rows, nothing alarming`;
    });
  }
  await check("object let go", async () => {
    const calls = rowsOf.get("durableObjectsInvocationsAdaptiveGroups") ?? [];
    const durations = [...durationPerCall(calls, rowsOf.get("durableObjectsPeriodicGroups") ?? [])];
    const longDurations = durations.filter(([, duration]) => duration > DURATION_MAX_GBS);
    const show = (rows: [string, number][]) => rows.map(([id, gbs]) => `${id}: ${gbs.toFixed(3)}`).join(", ");
    expectThat(longDurations.length === 0, `GB-s for each call, more than ${DURATION_MAX_GBS}: ${show(longDurations)}`);
    return durations.length === 0 ? "there is no data yet" : `GB-s for each call: ${show(durations)}`;
  });
}

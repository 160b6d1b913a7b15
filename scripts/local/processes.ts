// The processes of a local run. The process figures are Linux only.
import { readdir, readFile } from "node:fs/promises";

/** The runtime processes in the group led by `group`: one runs the worker and its bucket, one is its proxy. */
export async function listRuntimes(group: number): Promise<number[]> {
  const pids: number[] = [];
  for (const name of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const stat = await readStat(Number(name)).catch(() => null);
    if (stat?.command.startsWith("workerd") && Number(stat.fields[2]) === group) pids.push(Number(name));
  }
  if (pids.length === 0) throw new Error("the worker's process was not found");
  return pids;
}

/** Milliseconds of CPU time that processes have used since they started. */
export async function cpuMs(pids: number[]): Promise<number> {
  const stats = await Promise.all(pids.map(readStat));
  // utime and stime in ticks of 10 ms: proc(5).
  return stats.reduce((sum, { fields }) => sum + 10 * (Number(fields[11]) + Number(fields[12])), 0);
}

/** The command of a process, and the fields of its `stat` from the state on. */
async function readStat(pid: number): Promise<{ command: string; fields: string[] }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [, command = "", fieldsText = ""] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  return { command, fields: fieldsText.split(" ") };
}

// What the releases before and after this one write into queues and into the storage of objects. A deploy ends with this release at work
// on what the one before left; a rollback ends with it on what the one after left. The code of both is this one's: only what they
// leave differs.
import { type FollowUpTask, isMaintenance, type Job } from "../../src/domain/job.ts";

export type Version = "before" | "current" | "after";

/** A member that no code of today knows. */
export const UNKNOWN = { since_next_release: { is: "unknown" } };
/** Members of what objects keep that a release before may not have written: their types have them as optional. */
const NEW_MEMBERS = ["otherwise"];
/** What an object keeps as one thing with members, by the beginning of its key; all else is a number, a text or a map. */
const WITH_MEMBERS = ["record:", "unsent:", "credential:", "renewal:", "lane", "begun"];

/** Messages as a release writes them. The one before sent a message for each task; the one after has members and kinds of its own. */
export function messagesOf(version: Version, jobs: readonly Job[]): unknown[] {
  if (version === "before") return jobs.flatMap(messagesBefore);
  if (version === "current") return [...jobs];
  return jobs.flatMap((job): unknown[] => {
    const message = { ...job, ...UNKNOWN };
    if (job.kind !== "follow_ups") return [message];
    const tasks = job.tasks.map((task: FollowUpTask) => ({ ...task, ...UNKNOWN }));
    const [{ channel = "" } = {}] = job.tasks;
    return [{ ...message, tasks: [...tasks, { kind: "kind_of_next_release", channel }] }];
  });
}

function messagesBefore(job: Job): unknown[] {
  if (isMaintenance(job) || job.kind !== "follow_ups") return [job];
  const { workspace, lane, tasks } = job;
  return tasks.map((task) => ({ ...task, workspace, lane }));
}

/** What an object of a release puts into its storage under a key: a value as JSON has it. */
export function storedBy(version: Version, key: string, value: unknown): unknown {
  const isWhole = WITH_MEMBERS.some((name) => key.startsWith(name));
  if (version === "current" || !isWhole || typeof value !== "object" || value === null) return value;
  if (version === "after") return { ...withUnknown(value), ...UNKNOWN };
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      NEW_MEMBERS.includes(name) && member == null ? undefined : member,
    ),
  );
}

/** The parts of a record have members of their own. */
const withUnknown = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      ["guard", "followUp"].includes(name) ? [name, { ...member, ...UNKNOWN }] : [name, member],
    ),
  );

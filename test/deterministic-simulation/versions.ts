// The formats of the releases before and after this one, in queues and in the storage of objects. A deploy ends with this
// release on the data of the previous one, and a rollback with this release on the data of the next one. Both run this
// release's code: only the data differs.
import { type FollowUpTask, isMaintenance, type Job } from "../../src/domain/job.ts";

export type Version = "before" | "current" | "after";

/** A member that today's code does not know. */
export const UNKNOWN = { since_next_release: { is: "unknown" } };
/** Optional members of stored values, which the previous release may not have written. */
const NEW_MEMBERS = ["otherwise"];
/** The beginnings of the keys whose values are objects with fixed members. All other values are numbers, texts or maps. */
const WITH_MEMBERS = ["record:", "unsent:", "credential:", "renewal:", "lane", "begun"];

/** Messages in a release's format. The previous release sent one message for each task. The next one adds members and kinds. */
export function toMessages(version: Version, jobs: readonly Job[]): unknown[] {
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

/** The value that an object of a release stores under a key, as JSON. */
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

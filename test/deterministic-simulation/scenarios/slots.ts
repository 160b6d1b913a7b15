// Callers that race for the slots of a week: each gets a different slot, and the slot of a cancelled post is free again.
import { NEXT_SLOT } from "../../../src/domain/next-slot.ts";
import { NO_FAULTS } from "../faults.ts";
import type { Tenant } from "../tenants.ts";
import { buildText, type Channel, type Wanted } from "../wanted.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";
import { MINUTE, many, type Scenario } from "./scenario.ts";

const HOUR = 60 * MINUTE;
const CALLERS = 16;

/** A slot every twenty minutes on this day and the next. */
function listSlots(at: number): { weekday: number; time: string; channels: null }[] {
  const two = (value: number) => String(value).padStart(2, "0");
  const times = Array.from({ length: 72 }, (_, i) => `${two(Math.floor(i / 3))}:${two((i % 3) * 20)}`);
  const today = new Date(at).getUTCDay();
  return [today, today + 1].flatMap((day) => times.map((time) => ({ weekday: day % 7 || 7, time, channels: null })));
}

/** Creates a post in the next free slot. Until the answer, its caller knows only that it is later. */
function takeSlot(world: World, workload: Workload, { id }: Tenant, channels: Channel[]): Wanted {
  const n = workload.wanted.length;
  const fields = {
    text: buildText(n, 1),
    media: [],
    channels: channels.map((channel) => channel.id),
    overrides: {},
    thread: [],
    publishAt: world.now(),
    draft: false,
  };
  const wanted = workload.want(workload.getTenant(id), fields, `slot-${n}`);
  const body = { text: fields.text, channels: fields.channels, publish_at: NEXT_SLOT };
  const noted = wanted.write(fields, world.now());
  workload.request(id, "posts.create", { body, idempotencyKey: wanted.key }, (answer) => {
    noted(answer.is === "answer" ? answer.status : null, world.now());
    if (answer.is !== "answer" || answer.status >= 300) return;
    const { id: postId, publish_at: publishAt } = Object(answer.body);
    wanted.postId = String(postId);
    wanted.write({ publishAt: Date.parse(publishAt) }, world.now())(200, world.now());
  });
  return wanted;
}

/** No two queued posts share a minute of a channel. */
function judgeSlots({ database }: World, workload: Workload): void {
  const [row] = database.rows(
    "SELECT COUNT(*) AS posts FROM posts WHERE status <> 'cancelled' AND publish_at IS NOT NULL",
  );
  if (Number(row?.posts) < CALLERS) throw new Error("the callers were given no slots");
  const twice = database.rows(
    `SELECT j.value AS channel, p.publish_at, COUNT(*) AS posts FROM posts p, json_each(p.channels) j
     WHERE p.status <> 'cancelled' AND p.publish_at IS NOT NULL GROUP BY 1, 2 HAVING COUNT(*) > 1`,
  );
  for (const { channel, publish_at, posts } of twice)
    workload.complaints.push({ promise: "slot_once", what: `${posts} posts have ${publish_at} on ${channel}` });
}

export const slotScenarios: Record<string, Scenario> = {
  "callers race for the slots of two channels, and for those that others leave": {
    tenants: [many("telegram", 2)],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const startsAt = world.now();
      const [tenant] = workload.tenants;
      const [first, second] = workload.channels;
      if (tenant === undefined || first === undefined || second === undefined) return;
      const chooseChannels = (i: number): Channel[] => [[first], [second], [first, second]][i % 3] ?? [first];
      workload.request(tenant.id, "slots.set", { body: { slots: listSlots(startsAt) } }, () => {
        const early = Array.from({ length: CALLERS }, (_, i) => takeSlot(world, workload, tenant, chooseChannels(i)));
        workload.at(startsAt + 5 * MINUTE, () => {
          for (const [i, wanted] of early.entries()) {
            if (i % 2 === 0) workload.cancel(wanted);
            takeSlot(world, workload, tenant, chooseChannels(i));
          }
        });
        workload.at(startsAt + 6 * MINUTE, () => judgeSlots(world, workload));
        workload.at(startsAt + 10 * HOUR, () => judgeSlots(world, workload));
      });
    },
  },
};

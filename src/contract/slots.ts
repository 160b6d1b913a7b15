import * as z from "zod";
import { CHANNELS_PER_POST_MAX, NEXT_SLOTS_DEFAULT, NEXT_SLOTS_MAX, SLOTS_MAX } from "../domain/limits.ts";
import { NEXT_SLOT } from "../domain/next-slot.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, id, instant } from "./shapes.ts";

const Slot = z
  .strictObject({
    weekday: z.int().min(1).max(7).meta(about("1 is Monday, 7 is Sunday.")),
    time: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "It is no time of day such as `09:30`" })
      .meta(about("On the workspace's clock, such as `09:30`.")),
    channels: z
      .array(id)
      .max(CHANNELS_PER_POST_MAX)
      .nullable()
      .meta(about("The channels whose posts it takes; null: every channel, also those that are connected later.")),
  })
  .meta({ id: "Slot" });

export const Slots = z
  .object({ slots: z.array(Slot).meta(about("In the order of the week.")) })
  .meta({ id: "Slots", examples: [{ slots: [{ weekday: 1, time: "09:30", channels: null }] }] });

const here = { ...plain, path: "/v1/slots", auth: "key_or_session", tag: "Slots", result: Slots } as const;

export const readSlots = operation({
  ...here,
  method: "GET",
  ability: "read",
  summary: "The slots of a week",
  description: "Of the channels of a slot those that the workspace has now: one that is disconnected is left out.",
  success: { 200: "All of them." },
  refusals: [],
});

export const setSlots = operation({
  ...here,
  method: "PUT",
  ability: "manage_slots",
  wholeWorkspace: true,
  summary: "Replace the slots of a week",
  description: "The whole list. No post is moved by it: what has a time keeps it.",
  body: z.strictObject({
    slots: z
      .array(Slot)
      .max(SLOTS_MAX)
      .refine((slots) => new Set(slots.map(identity)).size === slots.length, { error: "A slot is given twice" }),
  }),
  success: { 200: "As they now are." },
  refusals: ["unknown_channel", "duplicate_channel"],
  examples: {
    "Mondays on every channel, Thursdays on one": {
      slots: [
        { weekday: 1, time: "09:30", channels: null },
        { weekday: 4, time: "17:00", channels: [SAMPLE.channel] },
      ],
    },
  },
});

/** Slots with the same identity are duplicates. */
const identity = ({ weekday, time, channels }: z.output<typeof Slot>) =>
  JSON.stringify([weekday, time, channels === null ? null : [...channels].sort()]);

export const nextSlots = operation({
  ...plain,
  method: "GET",
  path: "/v1/slots/next",
  auth: "key_or_session",
  ability: "read",
  tag: "Slots",
  summary: "The next free slots for a post",
  description: `Those in which none of the channels has a post yet. A post takes the first of them with \`publish_at: "${NEXT_SLOT}"\`.`,
  query: z.object({
    channels: z
      .string()
      .max(10_000)
      .meta({
        description: "The post's channels: ids, comma-separated.",
        examples: [SAMPLE.channel],
      }),
    count: z
      .preprocess(
        (value) => (typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value),
        z.int().min(1).max(NEXT_SLOTS_MAX).optional(),
      )
      .meta({ description: `How many at most; ${NEXT_SLOTS_DEFAULT} where it is left out.`, examples: [10] }),
  }),
  result: z
    .object({
      slots: z
        .array(z.object({ at: instant, at_local: z.string().meta(about("The same on the workspace's clock.")) }))
        .meta(about("The earliest first; fewer than asked for where the next 366 days have no more.")),
    })
    .meta({ id: "NextSlots", examples: [{ slots: [{ at: SAMPLE.due, at_local: "2026-12-01T09:00:00+00:00" }] }] }),
  success: { 200: "Free at this moment." },
  refusals: ["unknown_channel", "missing_field"],
});

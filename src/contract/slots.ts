import * as z from "zod";
import { CHANNELS_PER_POST_MAX, NEXT_SLOTS_DEFAULT, NEXT_SLOTS_MAX, SLOTS_MAX } from "../domain/limits.ts";
import { NEXT_SLOT } from "../domain/next-slot.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, id, instant } from "./shapes.ts";

const Slot = z
  .strictObject({
    weekday: z.int().min(1).max(7).meta(about("1 is Monday and 7 is Sunday.")),
    time: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "Not a time of day such as `09:30`" })
      .meta(about("Time of day in the workspace's time zone, such as `09:30`.")),
    channels: z
      .array(id)
      .max(CHANNELS_PER_POST_MAX)
      .nullable()
      .meta(about("Channels whose posts can take the slot. Null: every channel, including those connected later.")),
  })
  .meta({ id: "Slot" });

export const Slots = z
  .object({ slots: z.array(Slot).meta(about("The slots, in the order of the week.")) })
  .meta({ id: "Slots", examples: [{ slots: [{ weekday: 1, time: "09:30", channels: null }] }] });

const sharedDefinition = { ...plain, path: "/v1/slots", auth: "key_or_session", tag: "Slots", result: Slots } as const;

export const readSlots = operation({
  ...sharedDefinition,
  method: "GET",
  ability: "read",
  summary: "List the workspace's weekly slots",
  description: "Each slot lists only channels that the workspace still has. Disconnected channels are left out.",
  success: { 200: "All slots of the workspace." },
  refusals: [],
});

export const setSlots = operation({
  ...sharedDefinition,
  method: "PUT",
  ability: "manage_slots",
  wholeWorkspace: true,
  summary: "Replace the weekly slots",
  description: "Replaces the whole list. Posts that already have a time keep it.",
  body: z.strictObject({
    slots: z
      .array(Slot)
      .max(SLOTS_MAX)
      .refine((slots) => new Set(slots.map(identity)).size === slots.length, {
        error: "The list contains the same slot twice",
      }),
  }),
  success: { 200: "The updated slots." },
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
  summary: "List the next free slots for a post",
  description: `A slot is free if none of the channels has a post in it. To use the first free slot, create the post with \`publish_at: "${NEXT_SLOT}"\`.`,
  query: z.object({
    channels: z
      .string()
      .max(10_000)
      .meta({
        description: "Channel ids of the post, comma-separated.",
        examples: [SAMPLE.channel],
      }),
    count: z
      .preprocess(
        (value) => (typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value),
        z.int().min(1).max(NEXT_SLOTS_MAX).optional(),
      )
      .meta({ description: `Maximum number of slots. Default ${NEXT_SLOTS_DEFAULT}.`, examples: [10] }),
  }),
  result: z
    .object({
      slots: z
        .array(
          z.object({ at: instant, at_local: z.string().meta(about("The same instant in the workspace's time zone.")) }),
        )
        .meta(about("Earliest first. Fewer than requested if the next 366 days have no more.")),
    })
    .meta({ id: "NextSlots", examples: [{ slots: [{ at: SAMPLE.due, at_local: "2026-12-01T09:00:00+00:00" }] }] }),
  success: { 200: "The slots that are free now." },
  refusals: ["unknown_channel", "missing_field"],
});

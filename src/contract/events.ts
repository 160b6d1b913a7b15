import * as z from "zod";
import { ACTOR_KINDS } from "../domain/actor.ts";
import { ALTERATIONS } from "../domain/delivery/readback.ts";
import { EVENT_NAMES } from "../domain/event.ts";
import { DAY_MS, EVENTS_KEPT_MS, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { Approval } from "./post-shapes.ts";
import { SAMPLE } from "./samples.ts";
import { about, as, cursor, id, instant, limit, page, untrusted } from "./shapes.ts";

export const Actor = z
  .object({
    kind: z.enum(ACTOR_KINDS).meta(about("`app`: an application that a person let in; `reviewer`: by a review link.")),
    id: id.nullable().meta(about("Of the user, the key or the connection; null: a reviewer.")),
    name: z.string().meta(untrusted("As it was then.")),
  })
  .meta({ id: "Actor" });

export const Event = z
  .object({
    id,
    event: z.enum(EVENT_NAMES),
    post: id.nullable(),
    channel: id.nullable().meta(about("null: it is of the post as a whole.")),
    platform: z.string().nullable(),
    delivery: id.nullable(),
    attempt: z.int().nullable().meta(about("How often the delivery had been sent.")),
    url: z.string().nullable().meta(untrusted("The address of what was published.")),
    error: z.string().nullable().meta(about("A code of the table of delivery failures.")),
    action: z.string().nullable().meta(about("What helps, as a code.")),
    next_attempt_at: instant.nullable(),
    network_message: z
      .string()
      .nullable()
      .meta(untrusted("What the network said, in its own words, as in the delivery.")),
    altered: z
      .array(z.enum(ALTERATIONS))
      .nullable()
      .meta(about("What the network shows otherwise; only of `delivery.altered`.")),
    approval: Approval.nullable().meta(about("Of the events `post.*`.")),
    actor: Actor.nullable().meta(
      about(
        "Who did it: of a delivery, who made the post or changed it last; of `post.*`, who asked or decided. " +
          "null: nobody did, as with a channel, or it is from before this was kept.",
      ),
    ),
    metadata: z.record(z.string(), z.string()).meta({ description: "The post's own." }),
    created_at: instant,
  })
  .meta({
    id: "Event",
    examples: [
      {
        id: SAMPLE.event,
        event: "delivery.succeeded",
        post: SAMPLE.post,
        channel: SAMPLE.channel,
        platform: SAMPLE.platform,
        delivery: SAMPLE.delivery,
        attempt: 1,
        url: "https://example.net/@ada/1",
        error: null,
        action: null,
        next_attempt_at: null,
        network_message: null,
        altered: null,
        approval: null,
        actor: { kind: "app", id: SAMPLE.grant, name: "Example agent" },
        metadata: { campaign: "winter" },
        created_at: SAMPLE.published,
      },
    ],
  });

export const listEvents = operation({
  ...plain,
  method: "GET",
  path: "/v1/events",
  auth: "key_or_session",
  ability: "read",
  tag: "Events",
  summary: "What happened, as a feed or as a log",
  description:
    "Newest first by default. With `order=oldest` it is a log to poll: `next` is always given; keep the last one, come " +
    "back with it as `cursor`, and nothing is skipped or repeated. A page with `channel` or `actor` looks through the events " +
    "of the workspace until it is full. " +
    `Events are kept for ${EVENTS_KEPT_MS / DAY_MS} days; the newest ones, 32 at most, stay.`,
  query: z.object({
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
    event: z.enum(EVENT_NAMES, as("unknown_event")).optional(),
    include: z.enum(["channels"]).optional().meta({ description: "Those of channels, too." }),
    post: id.optional(),
    channel: id.optional(),
    actor: id.optional().meta({ description: "What this user, key or connected application did, by `actor.id`." }),
    order: z.enum(["newest", "oldest"]).default("newest"),
  }),
  result: page("events", Event),
  success: { 200: "A page." },
  refusals: ["unknown_event", "unreadable_cursor"],
});

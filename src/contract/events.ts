import * as z from "zod";
import { ACTOR_KINDS } from "../domain/actor.ts";
import { ALTERATIONS } from "../domain/delivery/readback.ts";
import { EVENT_NAMES } from "../domain/event.ts";
import { DAY_MS, EVENTS_KEPT_MS, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { Approval } from "./post-shapes.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, id, instant, limit, page, refuseAs, untrusted } from "./shapes.ts";

export const Actor = z
  .object({
    kind: z
      .enum(ACTOR_KINDS)
      .meta(about("`app`: an application that a person authorized; `reviewer`: someone with a review link.")),
    id: id.nullable().meta(about("Id of the user, key or connection; null for a reviewer.")),
    name: z.string().meta(untrusted("Name at that time.")),
  })
  .meta({ id: "Actor" });

export const Event = z
  .object({
    id,
    event: z.enum(EVENT_NAMES),
    post: id.nullable(),
    channel: id.nullable().meta(about("null if the event concerns the whole post.")),
    platform: z.string().nullable(),
    delivery: id.nullable(),
    attempt: z.int().nullable().meta(about("The number of times the delivery had been sent.")),
    url: z.string().nullable().meta(untrusted("The address of the published post.")),
    error: z.string().nullable().meta(about("A code from the table of delivery failures.")),
    action: z.string().nullable().meta(about("How to fix the failure, as a code.")),
    next_attempt_at: instant.nullable(),
    network_message: z.string().nullable().meta(untrusted("The network's message, verbatim, as in the delivery.")),
    altered: z
      .array(z.enum(ALTERATIONS))
      .nullable()
      .meta(about("The properties that differ on the network. Only for `delivery.altered`.")),
    approval: Approval.nullable().meta(about("The approval, for `post.*` events.")),
    actor: Actor.nullable().meta(
      about(
        "The actor: for a delivery, the last author or editor of the post; for `post.*`, the requester or decider. " +
          "Null if there is none, as for a channel, or the event is older than this record.",
      ),
    ),
    metadata: z.record(z.string(), z.string()).meta({ description: "The post's metadata." }),
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
  summary: "List events, as a feed or as a log",
  description:
    "Newest first by default. With `order=oldest`, the list is a log to poll: `next` is always set. Store the latest `next`, pass " +
    "it as `cursor` in the next call, and no event is skipped or repeated. With `channel` or `actor`, a page scans the events " +
    "of the workspace until it is full. " +
    `Events are kept for ${EVENTS_KEPT_MS / DAY_MS} days; the newest, 32 at most, always remain.`,
  query: z.object({
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
    event: z.enum(EVENT_NAMES, refuseAs("unknown_event")).optional(),
    include: z.enum(["channels"]).optional().meta({ description: "`channels` adds the events of channels." }),
    post: id.optional(),
    channel: id.optional(),
    actor: id
      .optional()
      .meta({ description: "Events caused by this user, key or connected application, by `actor.id`." }),
    order: z.enum(["newest", "oldest"]).default("newest"),
  }),
  result: page("events", Event),
  success: { 200: "A page of events." },
  refusals: ["unknown_event", "unreadable_cursor"],
});

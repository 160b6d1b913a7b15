// Events in words: before the name of a channel, and as a state.
import type { ACTOR_KINDS } from "../../domain/actor.ts";
import type { EventName } from "../../domain/event.ts";
import { plain } from "./marks.tsx";

const WORDS: Record<EventName, { what: string; state: string }> = {
  "delivery.succeeded": { what: "Went live on", state: "live" },
  "delivery.handed_over": { what: "Handed over as a draft on", state: "handed_over" },
  "delivery.failed": { what: "Failed on", state: "failed" },
  "delivery.retrying": { what: "Will be retried on", state: "retrying" },
  "delivery.at_risk": { what: "Will fail unless fixed on", state: "at_risk" },
  "delivery.altered": { what: "Was altered on", state: "altered" },
  "channel.connected": { what: "Was connected:", state: "connected" },
  "channel.reconnected": { what: "Was reconnected:", state: "connected" },
  "channel.disconnected": { what: "Was disconnected:", state: "disconnected" },
  "channel.token_expiring": { what: "Access expires soon on", state: "needs_reconnect" },
  "network.version_ending": { what: "API version will be retired soon:", state: "at_risk" },
  "post.approval_requested": { what: "Is waiting for approval", state: "awaiting_approval" },
  "post.approved": { what: "Was approved", state: "approved" },
  "post.declined": { what: "Was declined", state: "declined" },
};

const WORDS_BY_NAME: ReadonlyMap<string, { what: string; state: string }> = new Map(Object.entries(WORDS));

export const eventWords = (event: string) => WORDS_BY_NAME.get(event) ?? { what: plain(event), state: event };

const KINDS: Record<(typeof ACTOR_KINDS)[number], string> = {
  person: "",
  key: ", a key",
  app: ", an application",
  reviewer: ", by a review link",
};

/** An actor's name and kind. */
export const actorWords = ({ kind, name }: { kind: (typeof ACTOR_KINDS)[number]; name: string }) =>
  kind === "key" && /\bkey$/i.test(name) ? name : `${name}${KINDS[kind]}`;

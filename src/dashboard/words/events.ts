// Events as people say them: before the name of a channel, as a state, and as a filter.
import type { ACTOR_KINDS } from "../../domain/actor.ts";
import type { EventName } from "../../domain/event.ts";

interface EventWords {
  /** Before the channel's name. */
  what: string;
  /** As a state, whose label and tone it has. */
  state: string;
  /** On its own. */
  label: string;
}

const WORDS: Record<EventName, EventWords> = {
  "delivery.succeeded": { what: "Went live on", state: "live", label: "Post went live" },
  "delivery.handed_over": { what: "Sent as a draft to", state: "handed_over", label: "Draft sent to the app" },
  "delivery.failed": { what: "Failed on", state: "failed", label: "Post failed" },
  "delivery.retrying": { what: "Retrying on", state: "retrying", label: "Post is being retried" },
  "delivery.at_risk": { what: "Will fail on", state: "at_risk", label: "Post will fail" },
  "delivery.altered": { what: "Changed by", state: "altered", label: "Post changed by the network" },
  "delivery.edited": { what: "Text edited on", state: "live", label: "Live text edited" },
  "channel.connected": { what: "Connected", state: "connected", label: "Channel connected" },
  "channel.reconnected": { what: "Reconnected", state: "connected", label: "Channel reconnected" },
  "channel.disconnected": { what: "Disconnected", state: "disconnected", label: "Channel disconnected" },
  "channel.token_expiring": { what: "Reconnect soon:", state: "needs_reconnect", label: "Channel access expires" },
  "channel.queue_low": { what: "Queue runs low:", state: "at_risk", label: "Queue runs low" },
  "network.version_ending": { what: "Needs an update soon:", state: "at_risk", label: "Network needs an update" },
  "post.approval_requested": {
    what: "Waiting for approval",
    state: "awaiting_approval",
    label: "Approval requested",
  },
  "post.approved": { what: "Approved", state: "approved", label: "Post approved" },
  "post.declined": { what: "Declined", state: "declined", label: "Post declined" },
  "post.repeat_paused": { what: "Needs you to continue:", state: "at_risk", label: "Repeating post paused" },
};
const WORDS_BY_NAME: ReadonlyMap<string, EventWords> = new Map(Object.entries(WORDS));

export const eventWords = (event: string): EventWords =>
  WORDS_BY_NAME.get(event) ??
  (event === "webhook.test"
    ? { what: "Test", state: "enabled", label: "Test" }
    : { what: "News about", state: "enabled", label: "Other event" });

const KINDS: Record<(typeof ACTOR_KINDS)[number], string> = {
  person: "",
  key: " (key)",
  app: " (app)",
  reviewer: " (review link)",
};

/** An actor's name and kind. */
export const actorWords = ({ kind, name }: { kind: (typeof ACTOR_KINDS)[number]; name: string }) =>
  kind === "key" && /\bkey$/i.test(name) ? name : `${name}${KINDS[kind]}`;

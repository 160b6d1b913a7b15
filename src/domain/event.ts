/**
 * All events. `webhooks`: "default" if an endpoint that names no events gets the event, "named" if only an endpoint that names
 * the event gets it. `feed`: "all" if the feed lists the event for every caller, "channels" if only for callers who also ask
 * for the events of channels.
 */
const EVENTS = {
  "delivery.succeeded": { webhooks: "default", feed: "all" },
  "delivery.handed_over": { webhooks: "default", feed: "all" },
  "delivery.failed": { webhooks: "default", feed: "all" },
  "delivery.retrying": { webhooks: "default", feed: "all" },
  "channel.token_expiring": { webhooks: "default", feed: "all" },
  "channel.disconnected": { webhooks: "default", feed: "channels" },
  "channel.connected": { webhooks: "named", feed: "channels" },
  "channel.reconnected": { webhooks: "named", feed: "channels" },
  "channel.queue_low": { webhooks: "named", feed: "channels" },
  "delivery.at_risk": { webhooks: "named", feed: "all" },
  "delivery.altered": { webhooks: "named", feed: "all" },
  "delivery.edited": { webhooks: "named", feed: "all" },
  "post.approval_requested": { webhooks: "named", feed: "all" },
  "post.approved": { webhooks: "named", feed: "all" },
  "post.declined": { webhooks: "named", feed: "all" },
  "post.repeat_paused": { webhooks: "named", feed: "all" },
  // Concerns all channels of a network.
  "network.version_ending": { webhooks: "named", feed: "channels" },
} as const satisfies Record<string, { webhooks: "default" | "named"; feed: "all" | "channels" }>;

export type EventName = keyof typeof EVENTS;
type EventWhere<Row> = { [Name in EventName]: (typeof EVENTS)[Name] extends Row ? Name : never }[EventName];
type NamedEvent = EventWhere<{ webhooks: "named" }>;
type ChannelEvent = EventWhere<{ feed: "channels" }>;

const isEventName = (name: string): name is EventName => name in EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS).filter(isEventName);
/** The events that an endpoint gets if it names no events. */
export const DEFAULT_WEBHOOK_EVENTS = EVENT_NAMES.filter((name) => EVENTS[name].webhooks === "default");
/** The events that an endpoint gets only if it names them. */
export const NAMED_EVENTS = EVENT_NAMES.filter((name) => EVENTS[name].webhooks === "named");
/** The event of a test call. It is not in the feed, because nothing happened. */
export const WEBHOOK_TEST = "webhook.test";
export const isChannelEvent = (name: string): boolean => isEventName(name) && EVENTS[name].feed === "channels";
/** The events that the feed lists only for callers who also ask for the events of channels. */
export const CHANNEL_EVENTS = EVENT_NAMES.filter((name): name is ChannelEvent => isChannelEvent(name));
/** The events that the feed lists for every caller. */
export const FEED_EVENTS = EVENT_NAMES.filter((name) => !isChannelEvent(name));
/** The events of a post's approval. */
export type ApprovalEvent = Exclude<Extract<EventName, `post.${string}`>, "post.repeat_paused">;
/** The events of a channel's credential. */
export type CredentialEvent = Exclude<Extract<EventName, `channel.${string}`>, "channel.queue_low">;
/** The events of a delivery's transitions. */
export type DeliveryEvent = Exclude<Extract<EventName, `delivery.${string}`>, NamedEvent>;

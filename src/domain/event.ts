export const EVENT_NAMES = [
  "delivery.succeeded",
  "delivery.handed_over",
  "delivery.failed",
  "delivery.retrying",
  "channel.token_expiring",
  "channel.disconnected",
  "channel.connected",
  "channel.reconnected",
  "delivery.at_risk",
  "delivery.altered",
  "post.approval_requested",
  "post.approved",
  "post.declined",
  "network.version_ending",
] as const;
/** Events that an endpoint gets only if it names them. */
const NAMED_EVENTS = [
  "channel.connected",
  "channel.reconnected",
  "delivery.at_risk",
  "delivery.altered",
  "post.approval_requested",
  "post.approved",
  "post.declined",
  "network.version_ending",
] as const;
type NamedEvent = (typeof NAMED_EVENTS)[number];
/** The events of an endpoint that names none. */
export const WEBHOOK_EVENTS = EVENT_NAMES.filter((name) => !NAMED_EVENTS.some((named) => named === name));
/** The event of a test call; it never happened, so nothing else tells of it. */
export const WEBHOOK_TEST = "webhook.test";
/** Events that the feed lists only for callers who ask for those of channels, too. The last one is of all channels of a network. */
export const CHANNEL_EVENTS = [
  "channel.disconnected",
  "channel.connected",
  "channel.reconnected",
  "network.version_ending",
] as const;
export const isChannelEvent = (name: string): boolean => CHANNEL_EVENTS.some((event) => event === name);
/** The events that the feed lists for every caller. */
export const FEED_EVENTS = EVENT_NAMES.filter((name) => !isChannelEvent(name));
export type EventName = (typeof EVENT_NAMES)[number];
/** The events of a post as a whole. */
export type PostEvent = Extract<EventName, `post.${string}`>;
/** The events of transitions of a delivery. */
export type DeliveryEvent = Exclude<Extract<EventName, `delivery.${string}`>, NamedEvent>;

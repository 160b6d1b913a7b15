export const EVENT_NAMES = [
  "delivery.succeeded",
  "delivery.failed",
  "delivery.retrying",
  "channel.token_expiring",
  "channel.disconnected",
  "delivery.at_risk",
] as const;
/** The events of an endpoint that names none. */
export const WEBHOOK_EVENTS = EVENT_NAMES.filter((name) => name !== "delivery.at_risk");
/** The event of a test call; it never happened, so nothing else tells of it. */
export const WEBHOOK_TEST = "webhook.test";
/** What the feed lists. A disconnected channel is an event for webhooks only, and shown by the channel itself. */
export const FEED_EVENTS = EVENT_NAMES.filter((name) => name !== "channel.disconnected");
export type EventName = (typeof EVENT_NAMES)[number];
/** The events of transitions of a delivery. */
export type DeliveryEvent = Exclude<Extract<EventName, `delivery.${string}`>, "delivery.at_risk">;

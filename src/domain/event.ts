export const EVENT_NAMES = [
  "delivery.succeeded",
  "delivery.failed",
  "delivery.retrying",
  "channel.token_expiring",
  "channel.disconnected",
] as const;
/** What the feed lists. That a channel was disconnected is told to webhooks, and shown by the channel itself. */
export const FEED_EVENTS = EVENT_NAMES.filter((name) => name !== "channel.disconnected");
export type EventName = (typeof EVENT_NAMES)[number];
export type DeliveryEvent = Extract<EventName, `delivery.${string}`>;

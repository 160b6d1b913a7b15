export const EVENT_NAMES = [
  "delivery.succeeded",
  "delivery.failed",
  "delivery.retrying",
  "channel.token_expiring",
  "channel.disconnected",
  "delivery.at_risk",
] as const;
/** What an endpoint hears of that asks for nothing in particular. */
export const WEBHOOK_EVENTS = EVENT_NAMES.filter((name) => name !== "delivery.at_risk");
/** The event of a test call; it never happened, so nothing else tells of it. */
export const WEBHOOK_TEST = "webhook.test";
/** What the feed lists. That a channel was disconnected is told to webhooks, and shown by the channel itself. */
export const FEED_EVENTS = EVENT_NAMES.filter((name) => name !== "channel.disconnected");
export type EventName = (typeof EVENT_NAMES)[number];
/** What a transition of a delivery is told by. */
export type DeliveryEvent = Exclude<Extract<EventName, `delivery.${string}`>, "delivery.at_risk">;

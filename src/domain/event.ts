export const EVENT_NAMES = [
  "delivery.succeeded",
  "delivery.failed",
  "delivery.retrying",
  "channel.token_expiring",
  "channel.disconnected",
] as const;
export type EventName = (typeof EVENT_NAMES)[number];
export type DeliveryEvent = Extract<EventName, `delivery.${string}`>;

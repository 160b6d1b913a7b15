// The events that can trigger a workflow, as n8n options.
import type { INodePropertyOptions } from "n8n-workflow";
import type { EventName } from "../domain/event.ts";

const EVENTS: Record<EventName, { name: string; description: string }> = {
  "channel.connected": { name: "Channel Connected", description: "An account was connected" },
  "channel.disconnected": { name: "Channel Disconnected", description: "A network permanently revoked a credential" },
  "channel.queue_low": {
    name: "Channel Queue Low",
    description: "The last queued post of a channel with slots is due within two days",
  },
  "channel.reconnected": { name: "Channel Reconnected", description: "A channel got a new credential" },
  "channel.token_expiring": {
    name: "Channel Token Expiring",
    description: "A credential that only a person can renew expires in a week or a day",
  },
  "delivery.altered": {
    name: "Delivery Altered",
    description: "The live post differs from the one the network accepted",
  },
  "delivery.at_risk": {
    name: "Delivery At Risk",
    description: "A scheduled delivery will fail unless it is fixed",
  },
  "delivery.edited": { name: "Delivery Edited", description: "The text of a live post was edited through Crier" },
  "delivery.failed": { name: "Delivery Failed", description: "A delivery ended without going live" },
  "delivery.handed_over": {
    name: "Delivery Handed Over",
    description: "A draft is in the account's inbox for its owner to publish",
  },
  "delivery.retrying": { name: "Delivery Retrying", description: "A delivery failed temporarily and will be retried" },
  "delivery.succeeded": { name: "Delivery Succeeded", description: "A delivery is live" },
  "network.version_ending": {
    name: "Network Version Ending",
    description: "A network retires the API version in use in 60 or 14 days",
  },
  "post.approval_requested": { name: "Post Approval Requested", description: "A post is awaiting approval" },
  "post.approved": { name: "Post Approved", description: "A post was approved" },
  "post.declined": { name: "Post Declined", description: "A post was declined" },
  "post.repeat_paused": {
    name: "Post Repeat Paused",
    description: "The next post of a series is a draft, or could not be made",
  },
};

/** One option for each event, by name. */
export const EVENT_OPTIONS: INodePropertyOptions[] = Object.entries(EVENTS).map(([value, option]) => ({
  value,
  ...option,
}));

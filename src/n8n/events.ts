// The events that can trigger a workflow, as n8n options.
import type { INodePropertyOptions } from "n8n-workflow";
import type { EventName } from "../domain/event.ts";

const EVENTS: Record<EventName, { name: string; description: string }> = {
  "channel.connected": { name: "Channel Connected", description: "An account was connected" },
  "channel.disconnected": { name: "Channel Disconnected", description: "A network ended a credential for good" },
  "channel.reconnected": { name: "Channel Reconnected", description: "A channel got a new credential" },
  "channel.token_expiring": {
    name: "Channel Token Expiring",
    description: "A credential that only a person can renew ends in a week or a day",
  },
  "delivery.altered": {
    name: "Delivery Altered",
    description: "The network shows something else than it accepted",
  },
  "delivery.at_risk": {
    name: "Delivery At Risk",
    description: "What is scheduled would fail as things stand",
  },
  "delivery.failed": { name: "Delivery Failed", description: "A delivery ended without going live" },
  "delivery.handed_over": {
    name: "Delivery Handed Over",
    description: "A draft is in the inbox of the account, where its owner publishes it",
  },
  "delivery.retrying": { name: "Delivery Retrying", description: "It was refused for now and is tried again" },
  "delivery.succeeded": { name: "Delivery Succeeded", description: "A delivery is live" },
  "network.version_ending": {
    name: "Network Version Ending",
    description: "A network stops answering the version of its API that is called, in 60 or 14 days",
  },
  "post.approval_requested": { name: "Post Approval Requested", description: "A post waits for approval" },
  "post.approved": { name: "Post Approved", description: "Somebody approved a post" },
  "post.declined": { name: "Post Declined", description: "Somebody declined a post" },
};

/** One option for each event, by name. */
export const EVENT_OPTIONS: INodePropertyOptions[] = Object.entries(EVENTS).map(([value, shown]) => ({
  value,
  ...shown,
}));

import * as z from "zod";
import { operation, plain } from "./operation.ts";
import { about } from "./shapes.ts";

const kinds = {
  delivery_failed: z.boolean().meta(about("A post could not be published on a channel. One mail per post.")),
  delivery_at_risk: z.boolean().meta(about("A scheduled post will fail unless it is fixed. One mail per post.")),
  token_expiring: z.boolean().meta(about("A channel's access expires in a week, and again in a day.")),
  approval_requested: z.boolean().meta(about("A post is awaiting approval.")),
  version_ending: z.boolean().meta(about("A network is retiring the API version in use. Sent 60 and 14 days ahead.")),
  mentioned: z.boolean().meta(about("A comment on a post mentions you with `@` and your name or email address.")),
  queue_low: z
    .boolean()
    .meta(
      about(
        "The last post in the queue of a channel with slots is due within two days. Once until it is filled again.",
      ),
    ),
};

const Notifications = z.object(kinds).meta({
  id: "Notifications",
  examples: [
    {
      delivery_failed: true,
      delivery_at_risk: false,
      token_expiring: true,
      approval_requested: false,
      version_ending: true,
      mentioned: true,
      queue_low: true,
    },
  ],
});

const sharedDefinition = {
  ...plain,
  path: "/v1/notifications",
  auth: "session_in_workspace",
  ability: "read",
  tag: "Accounts",
  result: Notifications,
  refusals: [],
} as const;

export const readNotifications = operation({
  ...sharedDefinition,
  method: "GET",
  summary: "Get your mail settings for a workspace",
  description:
    "Mails go to verified addresses only. Until you choose, an owner gets mails about failed deliveries, expiring access and API versions, and queues that run low, " +
    "and every member gets mails about comments that mention them.",
  success: { 200: "Your settings for this workspace." },
});

export const setNotifications = operation({
  ...sharedDefinition,
  method: "PUT",
  summary: "Choose which mails you get about a workspace",
  body: z.strictObject({
    ...kinds,
    version_ending: kinds.version_ending.optional().meta({ description: "Keeps its value if omitted." }),
    mentioned: kinds.mentioned.optional().meta({ description: "Keeps its value if omitted." }),
    queue_low: kinds.queue_low.optional().meta({ description: "Keeps its value if omitted." }),
  }),
  success: { 200: "The updated settings." },
  examples: {
    "All that goes wrong or may go wrong": {
      delivery_failed: true,
      delivery_at_risk: true,
      token_expiring: true,
      approval_requested: false,
    },
  },
});

import * as z from "zod";
import { operation, plain } from "./operation.ts";
import { about } from "./shapes.ts";

const kinds = {
  delivery_failed: z.boolean().meta(about("A post could not be published on a channel; one mail for a post.")),
  delivery_at_risk: z.boolean().meta(about("A scheduled post would fail as things are; one mail for a post.")),
  token_expiring: z.boolean().meta(about("A channel's access ends in a week, and again: in a day.")),
  approval_requested: z.boolean().meta(about("A post waits for approval.")),
  version_ending: z
    .boolean()
    .meta(about("A network stops answering the version of its API that is called here, 60 and 14 days ahead.")),
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
    },
  ],
});

const here = {
  ...plain,
  path: "/v1/notifications",
  auth: "session_in_workspace",
  ability: "read",
  tag: "Accounts",
  result: Notifications,
  refusals: [],
} as const;

export const readNotifications = operation({
  ...here,
  method: "GET",
  summary: "Which mails you get about a workspace",
  description:
    "They go to proven addresses only. Until you set them, an owner gets mails about failed deliveries, access and versions that end, " +
    "and other members none.",
  success: { 200: "Yours, in this workspace." },
});

export const setNotifications = operation({
  ...here,
  method: "PUT",
  summary: "Choose which mails you get about a workspace",
  body: z.strictObject({
    ...kinds,
    version_ending: kinds.version_ending.optional().meta({ description: "Left out, it stays as it is." }),
  }),
  success: { 200: "As they now are." },
  examples: {
    "All that goes wrong or may go wrong": {
      delivery_failed: true,
      delivery_at_risk: true,
      token_expiring: true,
      approval_requested: false,
    },
  },
});

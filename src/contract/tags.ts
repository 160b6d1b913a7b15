/** The groups of operations and their descriptions, in the order in which a new user meets them. */
export const TAGS = {
  Posts: "Write once, publish to many channels. A post has one delivery per channel; each reports its own outcome.",
  Portals: "Pages for clients without an account, who approve or decline posts there.",
  Slots: "Weekly publishing times for posts that request the next free slot.",
  Media: "Images and videos. Upload a file to a signed address, or register one that you host.",
  Channels: "Accounts on networks. Posts are published to channels.",
  Webhooks: "Your endpoints that receive events as they happen, signed according to Standard Webhooks 1.0.0.",
  Events: "Changes of deliveries and channels, as a feed or as a log to poll.",
  Platforms: "The rules of each network: the numbers that posts are validated against.",
  Usage: "This month's usage and the plan's limits.",
  Workspaces: "A workspace owns channels, media and posts, and has one key for software that acts in it.",
  Members: "The people who may act in a workspace, and their roles. People become members by accepting an invitation.",
  Accounts: "Users: sign-up, sign-in, and each user's own settings.",
  Service: "The deployment itself.",
} as const;

export type Tag = keyof typeof TAGS;

/** The groups of operations and their descriptions, in the order in which a new user meets them. */
export const TAGS = {
  Posts: "Write once, publish to many channels. A post has one delivery per channel; each tells how it went there.",
  Slots: "The weekly times at which posts go out that ask for the next free one.",
  Media: "Images and videos. Upload a file to an address that we sign, or register one that you host.",
  Channels: "Accounts on networks. A channel is where a post goes.",
  Webhooks: "Endpoints of yours that get events as they happen, signed as Standard Webhooks 1.0.0 says.",
  Events: "What happened to deliveries and channels, as a feed or as a log to poll.",
  Platforms: "What each network takes: the very numbers that posts are judged by.",
  Usage: "What this month has used, and what the plan includes.",
  Workspaces: "A workspace owns channels, media and posts, and has one key with which software acts in it.",
  Members: "Who may act in a workspace, and as what. Nobody is a member before they have accepted an invitation.",
  Accounts: "People: signing up and in, and what belongs to them.",
  Service: "The deployment itself.",
} as const;

export type Tag = keyof typeof TAGS;

// Which accounts each network lets programs post to, and what they need for it. The facts are those of the networks' rules
// (`access` in `GET /v1/platforms`), in the words of a person who connects an account.

interface AccountWords {
  /** A few words for the choice of a network. */
  kind: string;
  needs: readonly string[];
}

const ACCOUNTS: Readonly<Record<string, AccountWords>> = {
  bluesky: {
    kind: "Any account",
    needs: [
      "Your handle, or an app password made in Bluesky's settings.",
      "A confirmed email address, to post videos.",
    ],
  },
  facebook: {
    kind: "Pages",
    needs: [
      "A Page: Facebook lets no program post to a personal profile.",
      "Full access to the Page, or the task Content.",
    ],
  },
  instagram: {
    kind: "Professional accounts",
    needs: ["A professional account, Business or Creator. Switch to one in the Instagram app."],
  },
  linkedin: {
    kind: "Profiles and pages",
    needs: ["For a page: the role of administrator or content administrator.", "Connecting again about every 60 days."],
  },
  pinterest: { kind: "Accounts with a board", needs: ["At least one board. Business accounts report more figures."] },
  telegram: {
    kind: "Channels and groups",
    needs: [
      "A bot, made with @BotFather.",
      "The bot as an admin of the channel that may post messages, or as a member of the group.",
    ],
  },
  threads: { kind: "Any account", needs: ["A Threads profile. Up to 250 posts in 24 hours."] },
  tiktok: {
    kind: "Any account",
    needs: [
      "A TikTok account. About 15 posts in 24 hours.",
      "Until TikTok has reviewed this Crier: a private account, or drafts that you finish in the app.",
    ],
  },
  x: { kind: "Any account", needs: ["An account that is not locked.", "X charges for each post."] },
  youtube: {
    kind: "Channels",
    needs: [
      "A Google account with a YouTube channel.",
      "A verified phone number, for videos over 15 minutes and custom thumbnails.",
    ],
  },
};

const UNKNOWN: AccountWords = { kind: "", needs: [] };
export const describeAccounts = (platform: string): AccountWords => ACCOUNTS[platform] ?? UNKNOWN;

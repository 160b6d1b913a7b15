// How people get the password or token of an account on networks without a consent page, and the fields to enter it.

export interface CredentialField {
  /** The field's name in `credentials`. */
  name: string;
  label: string;
  help?: string;
  example?: string;
  /** The sentence for a value that the network does not accept. */
  refused: string;
  isSecret?: boolean;
  isOptional?: boolean;
  /** Names the account. */
  isAccount?: boolean;
  /** Its value for a channel that is connected again. */
  fromHandle?(handle: string): string;
}
interface Guide {
  steps: { text: string; link?: { name: string; href: string } }[];
  fields: CredentialField[];
}

const GUIDES: Readonly<Record<string, Guide>> = {
  bluesky: {
    steps: [
      {
        text: "Create an app password for Crier, so that your own password stays with you.",
        link: { name: "Create one at Bluesky", href: "https://bsky.app/settings/app-passwords" },
      },
      { text: "Enter it here with your handle." },
    ],
    fields: [
      {
        name: "identifier",
        label: "Handle",
        example: "you.bsky.social",
        refused: "Bluesky doesn't know this account. Check the handle.",
        isAccount: true,
        fromHandle: (handle) => handle.replace(/^@/, ""),
      },
      {
        name: "app_password",
        label: "App password",
        example: "xxxx-xxxx-xxxx-xxxx",
        refused: "Bluesky didn't accept this app password. Create a new one and try again.",
        isSecret: true,
      },
      {
        name: "service",
        label: "Server",
        help: "Only if your account isn't on Bluesky's own servers.",
        example: "https://bsky.social",
        refused: "No Bluesky server answered at this address.",
        isOptional: true,
      },
    ],
  },
  telegram: {
    steps: [
      {
        text: "Create a bot and copy its token.",
        link: { name: "Open @BotFather", href: "https://t.me/BotFather" },
      },
      { text: "Add the bot to your channel or group as an admin that may post." },
      { text: "Enter the token and the chat here." },
    ],
    fields: [
      {
        name: "bot_token",
        label: "Bot token",
        example: "123456789:AAE…",
        refused: "Telegram doesn't know this bot. Copy the token from @BotFather again.",
        isSecret: true,
      },
      {
        name: "chat_id",
        label: "Chat",
        help: "The channel's @name, or the number of a private chat.",
        example: "@yourchannel",
        refused: "Your bot can't post in this chat. Add it as an admin, then try again.",
        isAccount: true,
        fromHandle: (handle) => (handle.startsWith("@") ? handle : ""),
      },
    ],
  },
};

/** The guide of a network. One that this page does not know takes an access token. */
export const findGuide = (platform: string): Guide =>
  GUIDES[platform] ?? {
    steps: [],
    fields: [
      {
        name: "handle",
        label: "Handle",
        refused: "Check the handle.",
        isAccount: true,
        fromHandle: (handle) => handle,
      },
      { name: "access_token", label: "Access token", refused: "This token was not accepted.", isSecret: true },
    ],
  };

// The labels of the fields with which an account is connected, and the sentence for a value that its network refuses.
import type { OptionWords } from "./options/option-words.ts";

interface CredentialWords extends OptionWords {
  refused: string;
}

const group = "required";
const CREDENTIALS: Readonly<Record<string, Readonly<Record<string, CredentialWords>>>> = {
  bluesky: {
    identifier: {
      label: "Account",
      help: "Your Bluesky handle, such as you.bsky.social.",
      refused: "Bluesky doesn't know this account. Check the handle.",
      group,
    },
    app_password: {
      label: "App password",
      help: "Create one in Bluesky, under Settings, App passwords.",
      refused: "Bluesky didn't accept this app password. Create a new one and try again.",
      group,
    },
    service: {
      label: "Server",
      help: "Only if your account isn't on Bluesky's own servers.",
      refused: "No Bluesky server answered at this address.",
      group: "more",
    },
  },
  telegram: {
    bot_token: {
      label: "Bot token",
      help: "From @BotFather in Telegram.",
      refused: "Telegram doesn't know this bot. Copy the token from @BotFather again.",
      group,
    },
    chat_id: {
      label: "Chat",
      help: "@channelname, or the chat's number.",
      refused: "Your bot can't post in this chat. Add it as an admin, then try again.",
      group,
    },
  },
};

/** The labels of a field; undefined for a field that this page does not know. */
export const findCredential = (platform: string, field: string): CredentialWords | undefined =>
  CREDENTIALS[platform]?.[field];

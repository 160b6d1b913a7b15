// The app and the account that publishing needs: core.telegram.org/bots and /bots/api, read 2026-11-20.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: null,
  account:
    "A bot that @BotFather made, as an administrator of the channel who may post messages, or as a member of the group.",
  review: "None. Posts are public at once.",
  // core.telegram.org/bots/faq, read 2026-11-24.
  limits: "About one message a second to the same chat, and 20 a minute to the same group.",
  problems: {
    bot_token: {
      missing: "The bot's token",
      sign: 'Connecting is refused: "Telegram does not know this bot token."',
      fix: "Copy it from @BotFather; a new token ends the old one.",
    },
    membership: {
      missing: "The bot in the chat",
      sign: 'Connecting is refused: "The bot cannot see this chat."',
      fix: "Add the bot to the chat, and name the chat as `@channelname` or by its numeric id.",
    },
    right_to_post: {
      missing: "The right to post messages",
      sign: 'Connecting is refused: "The bot may not post in this chat." A post fails with `permission_missing`.',
      fix: "Make the bot an administrator with the right to post messages, then retry the delivery.",
    },
  },
} satisfies AccessRule;

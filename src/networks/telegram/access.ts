// The app and the account that publishing needs: core.telegram.org/bots and /bots/api, read 2026-11-20.
import type { AccessRule } from "../../domain/posts/platform-rule.ts";

export const ACCESS = {
  app: null,
  account:
    "A bot created with @BotFather that is an administrator of the channel with the right to post messages, or a member of the group.",
  review: "None. Posts are public at once.",
  // core.telegram.org/bots/faq, read 2026-11-24.
  limits: "About one message per second to the same chat, and 20 per minute to the same group.",
  problems: {
    bot_token: {
      missing: "A valid bot token",
      sign: 'Connecting is refused: "Telegram does not know this bot token."',
      fix: "Copy the token from @BotFather. A new token invalidates the old one.",
    },
    membership: {
      missing: "The bot in the chat",
      sign: 'Connecting is refused: "The bot cannot see this chat."',
      fix: "Add the bot to the chat, and enter the chat as `@channelname` or its numeric id.",
    },
    right_to_post: {
      missing: "The right to post messages",
      sign: 'Connecting is refused: "The bot may not post in this chat." A post fails with `permission_missing`.',
      fix: "Make the bot an administrator with the right to post messages, then retry the delivery.",
    },
  },
} satisfies AccessRule;

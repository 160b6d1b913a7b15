import type { NetworkOptions } from "./option-words.ts";

export const TELEGRAM: NetworkOptions = {
  silent: { label: "Send silently", group: "common" },
  link_preview: {
    label: "Link preview",
    group: "common",
    values: {
      auto: "Automatic",
      off: "No preview",
      small: "Small image",
      large: "Large image",
      above: "Above the text",
    },
  },
  buttons: {
    label: "Buttons",
    help: "Links under the post. Not for albums.",
    group: "common",
    fields: { text: { label: "Button text" }, url: { label: "Link" } },
  },
  spoiler: { label: "Blur media until tapped", group: "common" },
  protect_content: { label: "Prevent forwarding and saving", group: "common" },
  parse_mode: {
    label: "Formatting",
    group: "more",
    values: { none: "Plain text", html: "HTML", markdown_v2: "Markdown" },
  },
  link_preview_url: { label: "Link to preview", help: "If it isn't the first link in the text.", group: "more" },
  caption_position: {
    label: "Caption position",
    group: "more",
    values: { below: "Below the media", above: "Above the media" },
  },
  pin: { label: "Pin the message", help: "Without a notification. The bot needs the right to pin.", group: "more" },
  quiz: {
    label: "Quiz",
    help: "Makes the poll a quiz.",
    group: "more",
    fields: { correct: { label: "Correct answer" }, explanation: { label: "Explanation" } },
  },
  message_thread_id: { label: "Topic", help: "The ID of a topic in the group.", group: "more" },
};

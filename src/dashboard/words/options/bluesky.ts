import { CAPTIONS_FILES, type NetworkOptions } from "./option-words.ts";

export const BLUESKY: NetworkOptions = {
  langs: {
    label: "Language",
    help: "Language codes, such as en or pt-BR, separated by commas.",
    group: "common",
  },
  link_card: {
    label: "Link preview",
    group: "common",
    values: { auto: "Automatic", off: "No preview" },
    custom: "Custom preview",
    fields: { url: { label: "Link" }, title: { label: "Title" }, description: { label: "Description" } },
  },
  labels: {
    label: "Content warnings",
    group: "common",
    values: { sexual: "Suggestive", nudity: "Nudity", porn: "Adult content", "graphic-media": "Graphic media" },
  },
  quote: { label: "Post to quote", help: "Its address on bsky.app.", group: "more" },
  reply_rules: {
    label: "Who can reply",
    help: "nobody, or any of mentioned, following, followers and addresses of lists, separated by commas.",
    group: "more",
    values: {
      nobody: "Nobody",
      mentioned: "Mentioned people",
      following: "People you follow",
      followers: "Your followers",
    },
    unset: "Anyone",
  },
  quote_rules: { label: "Who can quote", group: "more", values: { everybody: "Anyone", nobody: "Nobody" } },
  captions: CAPTIONS_FILES,
  hashtags: { label: "Hidden hashtags", help: "Found in search, but not shown in the text.", group: "more" },
};

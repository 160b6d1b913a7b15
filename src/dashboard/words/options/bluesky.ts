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
  captions: CAPTIONS_FILES,
  hashtags: { label: "Hidden hashtags", help: "Found in search, but not shown in the text.", group: "more" },
};

// The shape of the labels of a network's options.

export interface OptionWords {
  label: string;
  /** One short line, only where the label does not say enough. */
  help?: string;
  /** `common`: in the panel; `more`: behind "More options". A required option is always shown. */
  group: "required" | "common" | "more";
  /** The sentence if a required option has no value. */
  ask?: string;
  /** The button that leads to it; "Set" and the label if omitted. */
  askButton?: string;
  /** The label of each value of a choice. */
  values?: Readonly<Record<string, string>>;
  /** The label of the choice that leaves the value to the network. */
  unset?: string;
  /** The label of the choice that the option has no value (null). */
  none?: string;
  /** The label of the choice in which the fields are filled in. */
  custom?: string;
  /** The labels of the fields of an object, or of each entry of a list. */
  fields?: Readonly<Record<string, { label: string; help?: string }>>;
  /** How a number is shown: milliseconds as seconds, or an index as a position that starts at 1. */
  shows?: "seconds" | "position";
}

/** By the option's name. */
export type NetworkOptions = Readonly<Record<string, OptionWords>>;

export const FIRST_COMMENT: OptionWords = {
  label: "First comment",
  help: "Posted right after your post goes live.",
  group: "common",
};
export const COVER_IMAGE: OptionWords = { label: "Cover image", group: "common", unset: "Automatic" };
export const COVER_FRAME: OptionWords = {
  label: "Cover frame",
  help: "Seconds from the start of the video.",
  group: "common",
};
export const MADE_WITH_AI: OptionWords = { label: "Made with AI", group: "common" };
export const CAPTIONS_FILES: OptionWords = {
  label: "Captions",
  help: "For your video, one file for each language.",
  group: "more",
  fields: { lang: { label: "Language" }, file: { label: "File" } },
};

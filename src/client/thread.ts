// Splits a long text into a thread, with the rules of the networks as the service tells them.
import { splitIntoThread as split } from "../domain/posts/split-text.ts";

/** What one network accepts in a part: its rule in `platforms.list`. */
export interface PartLimit {
  text_limit: number;
  text_unit: string;
  text_weighting?: string | undefined;
}

/**
 * The parts of a text, each short enough for all of these networks: the first is the post's `text`, the others are its
 * `thread`. A dry run counts exactly, as the networks do.
 */
export const splitIntoThread = (text: string, limits: readonly PartLimit[]): string[] => split(text, limits);

import type { Channel } from "./channel.ts";

/** What was typed for a post, so that its refusal can be told in the same words. */
export interface Typed {
  channels: Channel[];
  /** Paths, in publishing order. */
  files: string[];
}

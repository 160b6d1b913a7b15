import type { Channel } from "./channel.ts";

/** What was typed for a post, so that its refusal can use the same words. */
export interface Typed {
  channels: Channel[];
  /** Paths, in publishing order. */
  files: string[];
}

import type { Channel } from "./channel.ts";

/** The arguments typed for a post, so that a refusal can refer to them. */
export interface Typed {
  channels: Channel[];
  /** Paths, in publishing order. */
  files: string[];
}

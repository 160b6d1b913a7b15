// Values of options that do not fit a post's files or type, where a rule cannot express this.
import type { MediaKind, PostType } from "./platform-rule.ts";

/** The shape of a post, as far as options depend on it. */
export interface PostShape {
  postType: PostType;
  /** The post's own files, in order. */
  media: readonly { kind: MediaKind }[];
  /** How many further parts its thread has; absent: none. */
  parts?: number;
}

export interface OptionProblem {
  /** Where the value is, below the options. */
  path: (string | number)[];
  message: string;
}

// Networks that can publish in more than one way: what the chosen way needs.
import type { MediaKind } from "./platform-rule.ts";

/** Requirements that a post's options add to the rule. */
export interface PostMode {
  /** The optional permission of the rule that this mode needs. */
  permission: string;
  /** The option that chooses this mode. */
  option: string;
  /** Whether the network accepts its text with files of this kind. */
  takesTextWith(kind: MediaKind): boolean;
}

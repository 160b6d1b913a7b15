// Assembles the Facebook network from the files of this folder.
import { versions } from "../shared/meta/versions.ts";
import { handedOver } from "../shared/oauth2.ts";
import { network } from "../shared/typed-network.ts";
import { additions } from "./additions.ts";
import { connect, consent, refresh } from "./auth.ts";
import { editText } from "./edit.ts";
import { readMetrics, recheck } from "./inspect.ts";
import { checkOptions } from "./post-kind.ts";
import { firstComment, prepare, publish, reconcile } from "./publish.ts";
import { Credential, Options, PublishKey, rule } from "./rule.ts";
import { takeDown } from "./take-down.ts";
import { PUBLISH_TIMEOUT_MS } from "./video.ts";

export const facebook = network({
  rule,
  versions,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  publishKey: PublishKey,
  // The call, plus the read for the address of a story.
  publishTimeoutMs: 2 * PUBLISH_TIMEOUT_MS,
  // Only a video is ever sent again, and under its own id; by then no earlier call of ours can still arrive.
  republishAfterMs: PUBLISH_TIMEOUT_MS + 120_000,
  connect,
  consent,
  refresh,
  prepare,
  publish,
  reconcile,
  recheck,
  takeDown,
  editText,
  firstComment,
  additions,
  checkOptions,
  readMetrics,
});

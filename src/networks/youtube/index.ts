// Assembles the YouTube network from the files of this folder.
import { handedOver } from "../shared/oauth2.ts";
import { network } from "../shared/typed-network.ts";
import { additions } from "./additions.ts";
import { connect, consent, endsAt, refresh, refreshAt } from "./auth.ts";
import { editText } from "./edit.ts";
import { readMetrics, recheck } from "./inspect.ts";
import { lookUps } from "./look-ups.ts";
import { firstComment, prepare, publish, reconcile } from "./publish.ts";
import { Credential, Options, PublishKey, rule } from "./rule.ts";
import { takeDown } from "./take-down.ts";
import { PUBLISH_TIMEOUT_MS } from "./upload.ts";

export const youtube = network({
  rule,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  publishKey: PublishKey,
  publishTimeoutMs: PUBLISH_TIMEOUT_MS,
  // The time limit of the calls plus two minutes: by then no earlier call of ours can still arrive.
  republishAfterMs: PUBLISH_TIMEOUT_MS + 120_000,
  connect,
  consent,
  refreshAt,
  endsAt,
  refresh,
  prepare,
  publish,
  reconcile,
  recheck,
  lookUps,
  takeDown,
  editText,
  firstComment,
  additions,
  readMetrics,
});

// Assembles the TikTok network from the files of this folder.
import { handedOver } from "../shared/oauth2.ts";
import { network } from "../shared/typed-network.ts";
import { connect, consent, endsAt, refresh, refreshAt } from "./auth.ts";
import { checkOptions, foresee } from "./creator.ts";
import { readMetrics, recheck } from "./inspect.ts";
import { lookUps } from "./look-ups.ts";
import { PUBLISH_TIMEOUT_MS, prepare, publish, reconcile } from "./publish.ts";
import { Credential, getPostMode, Options, PublishKey, rule } from "./rule.ts";

export const tiktok = network({
  rule,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  publishKey: PublishKey,
  modeOf: getPostMode,
  publishTimeoutMs: PUBLISH_TIMEOUT_MS,
  // Only the last chunk of a video is ever sent again, and by then no earlier chunk of ours can still arrive.
  republishAfterMs: PUBLISH_TIMEOUT_MS + 120_000,
  connect,
  consent,
  refreshAt,
  endsAt,
  refresh,
  prepare,
  publish,
  reconcile,
  foresee,
  checkOptions,
  recheck,
  lookUps,
  readMetrics,
});

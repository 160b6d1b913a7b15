// Assembles the Threads network from the files of this folder.
import { ContainerKey } from "../shared/meta/container.ts";
import { PUBLISH_TIMEOUT_MS, REPUBLISH_AFTER_MS } from "../shared/meta/container-publish.ts";
import { MetaCredential } from "../shared/meta/login.ts";
import { handedOver } from "../shared/oauth2.ts";
import { network } from "../shared/typed-network.ts";
import { connect, consent, endsAt, refresh, refreshAt } from "./auth.ts";
import { readMetrics, recheck } from "./inspect.ts";
import { firstComment, foresee, prepare, publish, reconcile } from "./publish.ts";
import { checkOptions, Options, rule } from "./rule.ts";
import { takeDown } from "./take-down.ts";

export const threads = network({
  rule,
  connectInput: handedOver,
  credential: MetaCredential,
  options: Options,
  checkOptions,
  publishKey: ContainerKey,
  fetchesFiles: true,
  publishTimeoutMs: PUBLISH_TIMEOUT_MS,
  republishAfterMs: REPUBLISH_AFTER_MS,
  connect,
  consent,
  refreshAt,
  endsAt,
  refresh,
  prepare,
  publish,
  reconcile,
  foresee,
  recheck,
  takeDown,
  firstComment,
  readMetrics,
});

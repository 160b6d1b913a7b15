// Assembles the Instagram network from the files of this folder.
import { ContainerKey } from "../shared/meta/container.ts";
import { PUBLISH_TIMEOUT_MS, REPUBLISH_AFTER_MS } from "../shared/meta/container-publish.ts";
import { MetaCredential } from "../shared/meta/login.ts";
import { versions } from "../shared/meta/versions.ts";
import { handedOver } from "../shared/oauth2.ts";
import { network } from "../shared/typed-network.ts";
import { additions } from "./additions.ts";
import { connect, consent, consentWays, endsAt, refresh, refreshAt } from "./auth.ts";
import { readMetrics, recheck } from "./inspect.ts";
import { checkOptions, firstComment, foresee, prepare, publish, reconcile } from "./publish.ts";
import { Options, rule } from "./rule.ts";
import { takeDown } from "./take-down.ts";

export const instagram = network({
  rule,
  versions,
  connectInput: handedOver,
  credential: MetaCredential,
  options: Options,
  publishKey: ContainerKey,
  fetchesFiles: true,
  publishTimeoutMs: PUBLISH_TIMEOUT_MS,
  republishAfterMs: REPUBLISH_AFTER_MS,
  connect,
  consent,
  consentWays,
  refreshAt,
  endsAt,
  refresh,
  prepare,
  publish,
  reconcile,
  foresee,
  recheck,
  firstComment,
  additions,
  takeDown,
  checkOptions,
  readMetrics,
});

// Assembles the Bluesky network from the files of this folder.
import { CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import { network } from "../shared/typed-network.ts";
import { connect, consentByHandle, endsAt, refresh, refreshAt } from "./auth.ts";
import { Credential } from "./credential.ts";
import { readMetrics, recheck } from "./inspect.ts";
import { linkForm } from "./link-form.ts";
import { lookUps } from "./look-ups.ts";
import { prepare, publish, reconcile } from "./publish.ts";
import { connectInput, Options, PublishKey, rule } from "./rule.ts";
import { takeDown } from "./take-down.ts";

export const bluesky = network({
  rule,
  connectInput,
  credential: Credential,
  options: Options,
  publishKey: PublishKey,
  publishTimeoutMs: CALL_TIMEOUT_MS,
  // The time limit of a call plus two minutes: by then no earlier call of ours can still arrive.
  republishAfterMs: CALL_TIMEOUT_MS + 120_000,
  connect,
  consentByHandle,
  linkForm,
  refreshAt,
  endsAt,
  refresh,
  prepare,
  publish,
  reconcile,
  recheck,
  takeDown,
  lookUps,
  readMetrics,
});

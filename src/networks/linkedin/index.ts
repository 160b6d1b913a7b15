// Assembles the LinkedIn network from the files of this folder.
import { CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import { handedOver } from "../shared/oauth2.ts";
import { network } from "../shared/typed-network.ts";
import { connect, consent, endsAt, refresh, refreshAt } from "./auth.ts";
import { editText } from "./edit.ts";
import { readMetrics, recheck } from "./inspect.ts";
import { lookUps } from "./look-ups.ts";
import { firstComment, prepare, publish, reconcile } from "./publish.ts";
import { Credential, Options, PublishKey, rule } from "./rule.ts";
import { takeDown } from "./take-down.ts";
import { versions } from "./version.ts";

export const linkedin = network({
  rule,
  versions,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  publishKey: PublishKey,
  publishTimeoutMs: CALL_TIMEOUT_MS,
  republishAfterMs: null,
  connect,
  consent,
  refreshAt,
  endsAt,
  refresh,
  prepare,
  publish,
  reconcile,
  recheck,
  takeDown,
  editText,
  lookUps,
  firstComment,
  readMetrics,
});

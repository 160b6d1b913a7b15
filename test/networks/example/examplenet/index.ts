// Examplenet as a network: the contributions of the files in this folder.
import { CALL_TIMEOUT_MS } from "../../../../src/networks/shared/http-call.ts";
import { network } from "../../../../src/networks/shared/typed-network.ts";
import { connect } from "./auth.ts";
import { recheck } from "./inspect.ts";
import { prepare, publish, reconcile } from "./publish.ts";
import { Credential, Options, PublishKey, rule } from "./rule.ts";

export const examplenet = network({
  rule,
  connectInput: Credential,
  credential: Credential,
  options: Options,
  publishKey: PublishKey,
  publishTimeoutMs: CALL_TIMEOUT_MS,
  republishAfterMs: CALL_TIMEOUT_MS + 120_000,
  connect,
  prepare,
  publish,
  reconcile,
  recheck,
});

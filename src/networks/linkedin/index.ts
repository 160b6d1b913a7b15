// LinkedIn as a network: what each file of this folder contributes.
import { network } from "../network.ts";
import { CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import { handedOver } from "../shared/oauth2.ts";
import { connect, consent, refresh, refreshAt } from "./auth.ts";
import { look, measure } from "./inspect.ts";
import { resolve, send, stage } from "./publish.ts";
import { Credential, Options, rule, Token } from "./rule.ts";

export const linkedin = network({
  rule,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  token: Token,
  sendTimeoutMs: CALL_TIMEOUT_MS,
  resendAfterMs: null,
  connect,
  consent,
  refreshAt,
  refresh,
  stage,
  send,
  resolve,
  look,
  measure,
});

// Telegram as a network: what each file of this folder contributes.
import { network } from "../network.ts";
import { connect } from "./auth.ts";
import { look } from "./inspect.ts";
import { SEND_TIMEOUT_MS, send, stage } from "./publish.ts";
import { Credential, connectInput, Options, rule, Token } from "./rule.ts";

export const telegram = network({
  rule,
  connectInput,
  credential: Credential,
  options: Options,
  token: Token,
  sendTimeoutMs: SEND_TIMEOUT_MS,
  resendAfterMs: null,
  connect,
  stage,
  send,
  look,
});

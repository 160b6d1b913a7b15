// TikTok as a network: what each file of this folder contributes.
import { network } from "../network.ts";
import { handedOver } from "../shared/oauth2.ts";
import { connect, consent, refresh, refreshAt } from "./auth.ts";
import { look, measure } from "./inspect.ts";
import { resolve, SEND_TIMEOUT_MS, send, stage } from "./publish.ts";
import { Credential, Options, rule, Token } from "./rule.ts";

export const tiktok = network({
  rule,
  connectInput: handedOver,
  credential: Credential,
  options: Options,
  token: Token,
  sendTimeoutMs: SEND_TIMEOUT_MS,
  // Only the last chunk of a video is ever sent again, and by then no earlier one of ours can still arrive.
  resendAfterMs: SEND_TIMEOUT_MS + 120_000,
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

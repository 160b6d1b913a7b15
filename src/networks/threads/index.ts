// Threads as a network: what each file of this folder contributes.
import { network } from "../network.ts";
import { ContainerToken } from "../shared/meta/container.ts";
import { RESEND_AFTER_MS, SEND_TIMEOUT_MS } from "../shared/meta/container-publish.ts";
import { MetaCredential } from "../shared/meta/login.ts";
import { handedOver } from "../shared/oauth2.ts";
import { connect, consent, refresh, refreshAt } from "./auth.ts";
import { look, measure } from "./inspect.ts";
import { firstComment, resolve, send, stage } from "./publish.ts";
import { Options, rule } from "./rule.ts";

export const threads = network({
  rule,
  connectInput: handedOver,
  credential: MetaCredential,
  options: Options,
  token: ContainerToken,
  sendTimeoutMs: SEND_TIMEOUT_MS,
  resendAfterMs: RESEND_AFTER_MS,
  connect,
  consent,
  refreshAt,
  refresh,
  stage,
  send,
  resolve,
  look,
  firstComment,
  measure,
});

// Assembles the Telegram network from the files of this folder.
import { network } from "../shared/typed-network.ts";
import { additions } from "./additions.ts";
import { connect } from "./auth.ts";
import { editText } from "./edit.ts";
import { recheck } from "./inspect.ts";
import { linkForm } from "./link-form.ts";
import { PUBLISH_TIMEOUT_MS, prepare, publish } from "./publish.ts";
import { Credential, checkOptions, connectInput, Options, PublishKey, rule } from "./rule.ts";
import { takeDown } from "./take-down.ts";

export const telegram = network({
  rule,
  connectInput,
  credential: Credential,
  options: Options,
  checkOptions,
  publishKey: PublishKey,
  publishTimeoutMs: PUBLISH_TIMEOUT_MS,
  republishAfterMs: null,
  connect,
  linkForm,
  prepare,
  publish,
  recheck,
  comparesAnswers: true,
  takeDown,
  editText,
  additions,
});

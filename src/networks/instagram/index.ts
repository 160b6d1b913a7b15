// Instagram.
import { network } from "../network.ts";
import { commentUnder } from "../shared/meta/comment.ts";
import { ContainerToken } from "../shared/meta/container.ts";
import { stageContainers } from "../shared/meta/container-prepare.ts";
import {
  measurePost,
  publishContainer,
  RESEND_AFTER_MS,
  resolveContainer,
  SEND_TIMEOUT_MS,
} from "../shared/meta/container-publish.ts";
import { connectWith, consentWith, MetaCredential, renewalAt, renewWith } from "../shared/meta/login.ts";
import { handedOver } from "../shared/oauth2.ts";
import { containers } from "./api.ts";
import { login } from "./auth.ts";
import { FIGURE_NAMES, isStory, look, STORY_FIGURE_NAMES } from "./inspect.ts";
import { planOf, refusedOption } from "./publish.ts";
import { Options, rule } from "./rule.ts";

export const instagram = network({
  rule,
  connectInput: handedOver,
  credential: MetaCredential,
  options: Options,
  token: ContainerToken,
  sendTimeoutMs: SEND_TIMEOUT_MS,
  resendAfterMs: RESEND_AFTER_MS,
  connect: (input, wire) => connectWith(login, input, wire),
  consent: consentWith(login),
  refreshAt: renewalAt,
  refresh: (work) => renewWith(login, work),
  stage: async (post, work, token, save) =>
    refusedOption(post) ?? stageContainers({ network: containers, plan: planOf(post), post, work, save }, token),
  send: (_post, token, work) => publishContainer(containers, token, work),
  resolve: (token, work) => resolveContainer(containers, token, work),
  look,
  firstComment: commentUnder(containers),
  measure: (post, work) => measurePost(containers, post, isStory(post) ? STORY_FIGURE_NAMES : FIGURE_NAMES, work),
});

// Turning comments off under a live post: reference of ig-media, "Updating" and `is_comment_enabled`, read 2026-11-27. There is no
// such field when a post is made.
import * as z from "zod";
import type { Added, Rejected } from "../../domain/delivery/outcome.ts";
import type { AdditionsOf, ConnectorContext } from "../network.ts";
import { type Answer, CALL_TIMEOUT_MS } from "../shared/http-call.ts";
import {
  type ContainerKey,
  type ContainerNetwork,
  harmless,
  outcome,
  read,
  readBody,
  UNAVAILABLE,
  writeAt,
} from "../shared/meta/container.ts";
import { BY_CONTAINER } from "../shared/meta/container-publish.ts";
import type { MetaCredential } from "../shared/meta/login.ts";
import { containers } from "./api.ts";

const NO_POST: Rejected = {
  is: "rejected",
  error: "content_refused",
  detail: "Instagram never returned the id of its post",
};

const Changed = z.object({ success: z.literal(true) });
const Shown = z.object({ is_comment_enabled: z.boolean() });

export const additions: AdditionsOf<MetaCredential, ContainerKey> = {
  comments: {
    async add({ id }, _wish, context) {
      if (id.startsWith(BY_CONTAINER)) return NO_POST;
      const answer = await writeAt(containers, context, `/${id}`, { comment_enabled: "false" }, CALL_TIMEOUT_MS);
      return readBody(answer, Changed) === undefined ? failed(containers, answer, context) : { is: "added" };
    },
    async isThere({ id }, _wish, context) {
      const answer = await read(containers, context, `/${id}`, { fields: "is_comment_enabled" });
      const shown = readBody(answer, Shown);
      if (shown === undefined) return failed(containers, answer, context);
      return shown.is_comment_enabled ? { is: "not_found", detail: "comments are still on" } : { is: "added" };
    },
  },
};

/** Repeating the call is harmless, so an answer that says nothing leads to another try. */
function failed(network: ContainerNetwork, answer: Answer, context: ConnectorContext<MetaCredential>): Added {
  const { meaning, reason } = harmless(network, answer, context);
  return outcome(meaning.is === "again" ? UNAVAILABLE : meaning, reason, answer, context.io.now());
}

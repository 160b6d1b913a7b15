// What is done to a video that is out: thumbnails.set, 50 units a call; developers.google.com/youtube/data/reference/rest/v3,
// read 2026-11-22.
import * as z from "zod";
import type { Added } from "../../domain/delivery/outcome.ts";
import type { AdditionsOf, ConnectorContext } from "../network.ts";
import { type Answer, resultOf, unknown } from "../shared/http-call.ts";
import { call, UPLOAD_API } from "./api.ts";
import { rejectionOf, says } from "./errors.ts";
import type { Credential, PublishHandle } from "./rule.ts";

const THUMBNAIL_TIMEOUT_MS = 120_000;

export const additions: AdditionsOf<Credential, PublishHandle> = {
  thumbnail_media: {
    async add({ id: videoId }, { file }, context) {
      if (file === undefined) throw new Error("a thumbnail is set without its file");
      const url = `${UPLOAD_API}/thumbnails/set?${new URLSearchParams({ videoId, uploadType: "media" })}`;
      const init = {
        method: "POST",
        headers: { "content-type": file.contentType, "content-length": String(file.bytes) },
        body: context.io.sized(await file.open(), file.bytes),
      };
      const answer = await call(context, url, init, THUMBNAIL_TIMEOUT_MS);
      return resultOf(answer, z.object({ items: z.array(z.unknown()) })) === undefined
        ? notAdded(answer, context)
        : { is: "added" };
    },
  },
};

function notAdded(answer: Answer, context: ConnectorContext<Credential>): Added {
  if (says(answer, "videoNotFound"))
    return { is: "rejected", error: "content_refused", detail: "YouTube knows no such video." };
  return rejectionOf(answer, context.io.now()) ?? unknown(answer, context.io.now());
}

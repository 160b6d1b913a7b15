// The thumbnail of a live video, including reels: docs/graph-api/reference/video/thumbnails, read 2026-11-22.
import * as z from "zod";
import type { AdditionsOf } from "../network.ts";
import { ask } from "../shared/http-call.ts";
import { makeBoundary, multipart } from "../shared/multipart.ts";
import { graph, readSuccess } from "./api.ts";
import { publishFailure } from "./errors.ts";
import { getNodeId } from "./publish.ts";
import type { Credential, PublishKey } from "./rule.ts";

const THUMBNAIL_TIMEOUT_MS = 120_000;

export const additions: AdditionsOf<Credential, PublishKey> = {
  thumbnail_media: {
    async add({ id, publishKey }, { file }, { credential, io }) {
      if (file === undefined) throw new Error("a thumbnail is set without its file");
      const { contentType, bytes } = file;
      const form = multipart(
        [
          { name: "is_preferred", value: "true" },
          { name: "source", fileName: "thumbnail", contentType, bytes, open: () => file.open() },
        ],
        makeBoundary(io.random(16)),
      );
      const headers = {
        authorization: `Bearer ${credential.page_token}`,
        "content-type": form.contentType,
        "content-length": String(form.bytes),
      };
      const init = { method: "POST", headers, body: io.sized(form.pieces(), form.bytes) };
      const url = `${graph(io)}/${getNodeId(id, publishKey)}/thumbnails`;
      const answer = await ask((signal) => io.fetch(url, { ...init, signal }), THUMBNAIL_TIMEOUT_MS);
      return readSuccess(answer, z.object({ success: z.literal(true) })) === undefined
        ? publishFailure(answer, io.now())
        : { is: "added" };
    },
  },
};

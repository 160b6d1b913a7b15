// YouTube, from Google's client, which is generated from the discovery document.
import { readFileSync } from "node:fs";
import { ROOT } from "../../support/documents/markdown.ts";
import type { Description, Operation } from "./operation.ts";
import { NO_FIELDS } from "./operation.ts";
import { listForms, refTo, type Schema } from "./schema.ts";
import { readDeclarations } from "./typescript.ts";

export const YOUTUBE_PACKAGE = "@googleapis/youtube";

interface Used {
  /** `GET /youtube/v3/videos`, or the path of the upload: `POST /upload/youtube/v3/videos`. */
  call: string;
  /** The type of its parameters. */
  parameters: string;
  body?: string;
  answer: string | null;
  /** True if the file itself is the body of the call. */
  isWhole?: boolean;
}

/** A resumable upload: the first call describes the video and returns a session, and the session receives the bytes. */
const UPLOAD: Record<string, Schema> = { uploadType: { enum: ["resumable"] }, upload_id: { type: "string" } };

export function youtubeDescription(used: readonly Used[], refusal: Schema): Description {
  const folder = `${ROOT}/node_modules/${YOUTUBE_PACKAGE}/build`;
  const { defs } = readDeclarations([`${folder}/v3.d.ts`]);
  const definitions = Object.fromEntries(
    Object.entries(defs).map(([name, schema]) => [name.replace("youtube_v3.", ""), schema]),
  );
  const code = readFileSync(`${folder}/v3.js`, "utf8");
  const operations = used.flatMap(({ call, parameters, body, answer, isWhole = false }): Operation[] => {
    const [method = "", path = ""] = call.split(" ");
    if (!code.includes(`rootUrl + '${path}'`)) throw new Error(`${YOUTUBE_PACKAGE} does not call ${path}`);
    const {
      requestBody: _body,
      media: _media,
      resource: _resource,
      ...query
    } = readParameters(definitions, parameters);
    const upload = path.startsWith("/upload/");
    const operation: Operation = {
      name: call,
      method,
      host: "www.googleapis.com",
      path,
      query: { type: "object", properties: { ...query, ...(upload ? UPLOAD : {}) }, additionalProperties: false },
      as: [body === undefined ? "none" : "json"],
      body: body === undefined ? NO_FIELDS : refTo(body),
      answers: answer === null ? { 204: null } : { 200: upload ? null : refTo(answer) },
      refusal,
      source: YOUTUBE_PACKAGE,
    };
    if (isWhole && answer !== null) {
      const whole = { type: "object" as const, properties: { ...query, uploadType: { enum: ["media"] } } };
      const answers = { 200: refTo(answer) };
      return [{ ...operation, query: { ...whole, additionalProperties: false }, as: ["bytes"], body: {}, answers }];
    }
    if (!upload || answer === null) return [operation];
    // The session's address is chosen by the network. The last answer of the session is the video.
    const bytes: Operation = {
      ...operation,
      name: `PUT ${path}`,
      method: "PUT",
      host: null,
      as: ["bytes", "none"],
      body: {},
    };
    return [operation, { ...bytes, answers: { 200: refTo(answer), 201: refTo(answer), 308: null } }];
  });
  return { platform: "youtube", operations, reads: [], defs: { ...defs, ...definitions } };
}

function readParameters(defs: Record<string, Schema>, name: string): Record<string, Schema> {
  const definition = defs[name];
  if (definition === undefined) throw new Error(`${YOUTUBE_PACKAGE} has no ${name}`);
  return Object.assign({}, ...listForms(definition, defs).map(({ properties }) => properties ?? {}));
}

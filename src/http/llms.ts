// The text for agents (llmstxt.org): a description of the service, and its calls in the order of use.
import { type OperationName, operations } from "../contract/index.ts";
import {
  CHANNELS_PER_POST_MAX,
  CHUNKED_VIDEO_BYTES_MAX,
  DAY_MS,
  DEADLINE_MS,
  HOUR_MS,
  IMAGE_BYTES_MAX,
  MEDIA_PER_POST_MAX,
  MINUTE_MS,
  PUBLISH_AHEAD_MAX_MS,
  THREAD_PARTS_MAX,
  UPLOAD_URL_LIFE_MS,
  VIDEO_BYTES_MAX,
} from "../domain/limits.ts";
import { isFinished, POST_STATUSES } from "../domain/posts/post.ts";

/** An operation as a call: `POST /v1/posts`. */
function call(name: OperationName): string {
  const { method, path } = operations[name];
  return `\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\``;
}
const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const names = (statuses: readonly string[]) => statuses.map((status) => `\`${status}\``).join(", ");

export function llmsText(baseUrl: string): string {
  return `# Crier

> Crier publishes one post to many social networks: on time, exactly as written, never twice. It is a JSON API at ${baseUrl}.

An MCP server with the same operations as tools is at ${baseUrl}/mcp. It takes a workspace key, or an access token: a client that \
has none is led from its 401 to a page on which a user authorizes it.

Send \`Authorization: Bearer <workspace key>\`; a key looks like \`crier_live_...\` and acts in one workspace. A user gets it with \
${call("accounts.sign-up")} and then ${call("workspaces.reveal-key")} with the session. Bodies are JSON with \`Content-Type: application/json\`. \
Never invent ids: read them from the lists.

## Publish a post with a file

1. ${call("platforms.list")} (no credential) gives each network's rules: \`text_limit\` in \`text_unit\`, \`caption_limit\` once a file is \
attached, how many files of which types and sizes, and the JSON Schema of its \`options\`.
2. ${call("channels.list")} gives the \`id\` and \`platform\` of each account; use those with \`"state": "connected"\`.
3. ${call("media.request-upload")} with \`content_type\`, \`bytes\` and \`alt\` (images up to ${mib(IMAGE_BYTES_MAX)}, videos up to ${mib(VIDEO_BYTES_MAX)}). Then PUT the bytes to \
\`upload_url\` with exactly the \`headers\` of the answer, within ${UPLOAD_URL_LIFE_MS / MINUTE_MS} minutes. A larger video, up to \
${CHUNKED_VIDEO_BYTES_MAX / 1e9} GB, is sent in chunks: ${call("media.request-chunked-upload")}. A file that is already on a public https address: ${call("media.register")}.
4. ${call("posts.create")} with \`"dry_run": true\` makes every check and writes nothing. It answers 200 with what each channel would publish, or the refusal \
that the real call would get. \`media_preview\` judges files that are not uploaded yet.
5. ${call("posts.create")} with \`channels\` (up to ${CHANNELS_PER_POST_MAX}), \`text\`, \`media\` (ids, in order, up to ${MEDIA_PER_POST_MAX}) and an \`Idempotency-Key\` header. Leave \`publish_at\` out \
to publish now, or give an ISO 8601 time up to ${PUBLISH_AHEAD_MAX_MS / DAY_MS} days ahead; without an offset it is read in the workspace's time zone. \
\`thread\` has up to ${THREAD_PARTS_MAX} further parts \`{ text, media }\`, each published as a reply to the one before, on networks whose rule has \`thread\`. \
\`poll\` is \`{ question, options, minutes }\`, on networks whose rule has \`poll\`; \`"poll": null\` in \`overrides\` leaves it out on a channel. \
\`overrides\` maps a channel's id to another \`text\`, other \`media\`, its own \`thread\` ([]: none) or the network's options. \`"draft": true\` saves without publishing.
6. ${call("posts.get")} until \`status\` is one of ${names(POST_STATUSES.filter(isFinished))}. Each of \`deliveries\` has its own \`status\`, \`url\` and, \
if it failed, \`error\`, \`action\` and \`hint\`.

## Repeat safely

Choose one \`Idempotency-Key\` per post and send it with every try. After a timeout or a 5xx send the same body with the same key: there will be \
one post. The same key with another body is refused (\`idempotency_key_reused\`). On 429 wait \`Retry-After\` seconds. Never repost a delivery \
whose \`error\` is \`outcome_unknown\` without looking at the network: it may be out. A delivery more than ${DEADLINE_MS / HOUR_MS} hours late is not sent.

## Repair a refused post

A refusal is JSON: \`error\` (decide by it), \`message\`, \`hint\`, \`field\`, \`request_id\`. A post that breaks rules gets 422 with ALL broken rules in \
\`violations\`. For each one:

- \`field\` is a JSON pointer into your body: change what it points to. \`channel\` and \`platform\` say whose rule it is.
- \`limit\`, \`actual\`, \`unit\` and \`over_by\` are the numbers: shorten the text by \`over_by\` \`unit\`, or give only that channel a shorter one in \
\`overrides\`.
- \`hint\` says what to do where there are no numbers.

Nothing was written, so correct the body and send it again with the same \`Idempotency-Key\`. Crier never cuts or rewords a text.

## Reference

- [OpenAPI 3.1](${baseUrl}/openapi.json): every call with schemas, examples and error codes
- [Documentation](${baseUrl}/docs): the same for people, with all error codes and delivery failures
- [Platform rules](${baseUrl}/v1/platforms): what each network takes, here and now
- [Health](${baseUrl}/healthz): whether the service lives, and whether posts go to the networks or to simulators
- [Status](${baseUrl}/v1/status): which networks are failing now, and how late posts went out in the last hour
`;
}

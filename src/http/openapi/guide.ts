// The rules for all calls, in Markdown: the introduction of the OpenAPI document and of its page.
import {
  BODY_BYTES_MAX,
  DAY_MS,
  IDEMPOTENCY_TOMBSTONE_MS,
  LIST_LIMIT_MAX,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from "../../domain/limits.ts";

const days = (ms: number) => ms / DAY_MS;

export const GUIDE = `Crier publishes one post to many social networks: on time, exactly as written, never twice.

## Authentication

Send \`Authorization: Bearer <credential>\`. A **workspace key** (\`crier_live_...\`) acts in its workspace and is for software. \
A **session** (\`sess_...\`) is for people; it comes from signing up or in, also as a cookie, ends after ${days(SESSION_IDLE_MS)} idle days and \
after ${days(SESSION_LIFE_MS)} days in any case. An **account key** (\`crier_acct_...\`) is for programs that manage many workspaces: it acts in all workspaces that its creator owns, as far as its \
scopes say, and cannot publish. With a session or an account key, name the workspace in the \`X-Workspace\` header or the \`workspace\` parameter. \
A call that changes something and is authenticated by the cookie alone must come from the service's own pages.

**MCP clients** that can send no key let a user sign in: OAuth 2.1 with PKCE, described at \`/.well-known/oauth-protected-resource/mcp\` and \
\`/.well-known/oauth-authorization-server\`. Their access tokens work at \`/mcp\` only, in the one workspace that the user chose; no call of this \
document takes them. \`GET /v1/workspaces/{id}/connections\` lists who was let in.

## Requests

Bodies are JSON objects in UTF-8 with \`Content-Type: application/json\`, at most ${BODY_BYTES_MAX / 1024 / 1024} MiB. A field that a call does not know is \
refused, so that a typo publishes nothing else than you meant. Instants are ISO 8601 in UTC with milliseconds. In answers nothing is \
left out: what is absent is \`null\`.

## Idempotency

Send an \`Idempotency-Key\` (1 to 255 visible ASCII characters) with \`POST /v1/posts\` and repeat the call as often as you need: the same \
key with the same body makes one post, and a repeat answers 200 with that post and \`Idempotent-Replayed: true\`. The same key with another body is refused. A \
key holds as long as its post; of a cancelled or discarded post, ${days(IDEMPOTENCY_TOMBSTONE_MS)} days.

## Two writers

An answer with one post carries its revision: \`rev\`, and \`ETag: "<rev>"\`. Send it back as \`If-Match\` with \`PATCH\` or \`DELETE\`, and nothing \
is changed that you have not seen: another revision is refused with 412 \`post_changed\`, and \`current\` is the post as it is now. Without \
\`If-Match\` the last writer wins, field by field.

## Errors

Every failure is JSON: \`error\` (a stable code), \`message\` (for people), \`request_id\`, and where they help \`hint\` and \`field\` (a JSON \
pointer into the request). A post that breaks rules is refused with all of them at once in \`violations\`, each with \`limit\`, \`actual\`, \
\`unit\` and \`over_by\` where it has numbers: enough to repair the post from the answer alone. Nothing is ever cut to fit. 429 carries \`Retry-After\` in seconds. Calls that count against a limit of the workspace or of its caller carry \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds), on success too.

## Lists

Lists answer a page and \`next\`. Pass \`next\` as \`cursor\` to get the following page; on the last one it is \`null\`. \`limit\` is at most ${LIST_LIMIT_MAX}.`;

// The OpenAPI 3.1 document, generated from the schemas that validate calls and from the table of errors.
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { SAMPLE } from "../../contract/samples.ts";
import { TAGS } from "../../contract/tags.ts";
import { cookieName } from "../session-cookie.ts";
import { browserPaths } from "./browser-paths.ts";
import { GUIDE } from "./guide.ts";
import { describeOperation } from "./operation.ts";
import { createSchemas } from "./schemas.ts";
import type { Document, Example } from "./types.ts";
import { describeWebhooks } from "./webhooks.ts";

export function openApi(baseUrl: string, version: string): Document {
  const schemas = createSchemas();
  const examples: Record<string, Example> = {};
  const paths: Document["paths"] = {};
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    const method = operation.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: describeOperation(id, operation, schemas, examples) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Crier",
      version,
      summary: "One post to many social networks: on time, exactly as written, never twice.",
      description: GUIDE,
      license: { name: "All rights reserved", identifier: "LicenseRef-All-Rights-Reserved" },
    },
    servers: [{ url: baseUrl, description: "This deployment." }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...browserPaths(schemas, examples) },
    webhooks: describeWebhooks(schemas),
    components: {
      schemas: schemas.named,
      examples,
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: {
        workspaceKey: { type: "http", scheme: "bearer", description: "A workspace key: `crier_live_...`." },
        accountKey: {
          type: "http",
          scheme: "bearer",
          description: "An account key: `crier_acct_...`. It acts in the workspaces that its creator owns.",
        },
        session: { type: "http", scheme: "bearer", description: "A session token: `sess_...`." },
        sessionCookie: {
          type: "apiKey",
          in: "cookie",
          name: cookieName(baseUrl, "session"),
          description: "The session of a browser, for calls from the service's own pages.",
        },
      },
    },
  };
}

const PARAMETERS: Document["components"]["parameters"] = {
  Workspace: {
    name: "X-Workspace",
    in: "header",
    required: false,
    description:
      "The workspace to act in. A session or an account key must name it, here or in `workspace`; a workspace key has one of its own.",
    schema: { type: "string" },
    example: SAMPLE.workspace,
  },
  WorkspaceQuery: {
    name: "workspace",
    in: "query",
    required: false,
    description: "The same as `X-Workspace`. If both are given they must agree.",
    schema: { type: "string" },
    example: SAMPLE.workspace,
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "Makes the call safe to repeat: the same key and body make one post. Not used by a dry run.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "winter-campaign-1",
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      "The `ETag` of the post as you know it: at another revision nothing is changed, and the answer is 412.",
    schema: { type: "string" },
    example: '"1"',
  },
};

const HEADERS: Document["components"]["headers"] = {
  RequestId: { description: "Names this call in our logs.", schema: { type: "string" } },
  Authenticate: { description: "`Bearer`.", schema: { type: "string" } },
  RateLimit: { description: "Calls that the limit allows in its window.", schema: { type: "integer", minimum: 0 } },
  RateRemaining: { description: "Calls left in the window.", schema: { type: "integer", minimum: 0 } },
  RateReset: {
    description: "Seconds until the oldest call of the window no longer counts.",
    schema: { type: "integer", minimum: 0 },
  },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } },
  Replayed: {
    description: "`true` when an earlier call with the same key made this post.",
    schema: { type: "string" },
  },
  EntityTag: { description: "The post's `rev`, in quotes: what `If-Match` takes.", schema: { type: "string" } },
  SessionCookie: { description: "The session for browsers, or its end.", schema: { type: "string" } },
};

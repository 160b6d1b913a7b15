import * as z from "zod";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { SCOPE } from "../domain/oauth.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, id, instant, limit, page, pathId } from "./shapes.ts";

export const Connection = z
  .object({
    id,
    client: z.object({
      id: z.string().meta(about("The client's registered id, or the address of its metadata document.")),
      name: z.string().meta(about("The client's self-reported name. Not verified.")),
      url: z.string().nullable().meta(about("The client's self-reported address.")),
      redirects_to: z.string().meta(about("The host of the redirect address.")),
    }),
    user: z
      .object({ id, email: z.string(), name: z.string().nullable() })
      .meta(about("The user who authorized the client. It has their permissions while they are a member.")),
    scopes: z.array(z.string()),
    created_at: instant,
    last_used_at: instant.nullable().meta(about("Accurate to the hour; null before the first token.")),
    expires_at: instant.meta(about("When the connection expires. Every token renewal extends it.")),
  })
  .meta({
    id: "Connection",
    examples: [
      {
        id: SAMPLE.grant,
        client: {
          id: "https://assistant.example/oauth/client.json",
          name: "Assistant",
          url: "https://assistant.example",
          redirects_to: "assistant.example",
        },
        user: { id: SAMPLE.user, email: "ada@example.com", name: "Ada" },
        scopes: [SCOPE],
        created_at: SAMPLE.created,
        last_used_at: SAMPLE.published,
        expires_at: "2026-12-31T09:00:01.382Z",
      },
    ],
  });

export const listConnections = operation({
  ...plain,
  method: "GET",
  path: "/v1/workspaces/:id/connections",
  auth: "session",
  ability: "read",
  tag: "Workspaces",
  summary: "List the applications that users authorized",
  description:
    "They act in the workspace at `/mcp`, over OAuth, with the role of the user who authorized them. Owners see all applications, other " +
    "members only their own.",
  params: z.object(buildIdParams(SAMPLE.workspace)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("connections", Connection),
  success: { 200: "A page of connections, newest first." },
  refusals: ["unreadable_cursor"],
});

export const endConnection = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id/connections/:connection",
  auth: "session",
  ability: "read",
  tag: "Workspaces",
  summary: "Revoke an application's access",
  description:
    "Allowed for the user who authorized it and for owners. Its tokens are rejected from the next request on.",
  params: z.object({ ...buildIdParams(SAMPLE.workspace), connection: pathId.meta({ examples: [SAMPLE.grant] }) }),
  success: { 204: "The application's access is revoked." },
  refusals: ["not_found"],
});

import * as z from "zod";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { SCOPE } from "../domain/oauth.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, cursor, id, instant, limit, page, pathId, pathIdOf } from "./shapes.ts";

export const Connection = z
  .object({
    id,
    client: z.object({
      id: z.string().meta(about("As it registered, or the address of its description.")),
      name: z.string().meta(about("As the client app names itself; not verified.")),
      url: z.string().nullable().meta(about("As it says.")),
      redirects_to: z.string().meta(about("The host of the redirect address.")),
    }),
    user: z
      .object({ id, email: z.string(), name: z.string().nullable() })
      .meta(about("Who let it in. It can do what they can, while they are a member.")),
    scopes: z.array(z.string()),
    created_at: instant,
    last_used_at: instant.nullable().meta(about("Within the hour; null before the first token.")),
    expires_at: instant.meta(about("When it ends by itself; every renewal of its tokens moves it.")),
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
  summary: "The applications that users authorized",
  description:
    "They work in the workspace at `/mcp`, over OAuth, with the role of who let them in. An owner sees all of them, any other " +
    "member their own.",
  params: z.object(pathIdOf(SAMPLE.workspace)),
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("connections", Connection),
  success: { 200: "Newest first." },
  refusals: ["unreadable_cursor"],
});

export const endConnection = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/workspaces/:id/connections/:connection",
  auth: "session",
  ability: "read",
  tag: "Workspaces",
  summary: "Show an application out",
  description: "By who let it in, or by an owner. Its tokens are refused from the next request on.",
  params: z.object({ ...pathIdOf(SAMPLE.workspace), connection: pathId.meta({ examples: [SAMPLE.grant] }) }),
  success: { 204: "Gone." },
  refusals: ["not_found"],
});

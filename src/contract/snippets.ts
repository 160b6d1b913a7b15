// Texts to insert into posts.
import * as z from "zod";
import { LIST_LIMIT_DEFAULT, TEXT_LENGTH_MAX } from "../domain/limits.ts";
import { SNIPPET_KINDS } from "../domain/snippet.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, id, limit, name, page, text } from "./shapes.ts";

const kind = z.enum(SNIPPET_KINDS).meta(about("`hashtags`: a set of hashtags, inserted after the text."));

export const Snippet = z.object({ id, name: z.string(), text: z.string(), kind }).meta({
  id: "Snippet",
  examples: [{ id: SAMPLE.snippet, name: "Signature", text: "Made in London.", kind: "text" }],
});

const fields = { name, text: text(TEXT_LENGTH_MAX).min(1), kind };
const sharedDefinition = { ...plain, auth: "key_or_session", tag: "Posts" } as const;
const change = { ...sharedDefinition, ability: "write_snippets" } as const;

export const listSnippets = operation({
  ...sharedDefinition,
  method: "GET",
  path: "/v1/snippets",
  ability: "read",
  summary: "List the workspace's snippets, newest first",
  query: z.object({
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
    kind: z
      .enum(SNIPPET_KINDS)
      .optional()
      .meta({ examples: ["hashtags"] }),
  }),
  result: page("snippets", Snippet),
  success: { 200: "A page of snippets." },
  refusals: ["unreadable_cursor"],
});

export const createSnippet = operation({
  ...change,
  method: "POST",
  path: "/v1/snippets",
  summary: "Create a snippet",
  body: z.strictObject({ ...fields, kind: kind.default("text") }),
  result: Snippet,
  success: { 201: "The new snippet." },
  refusals: ["too_many_entries"],
  examples: {
    "A text": { name: "Signature", text: "Made in London." },
    Hashtags: { name: "Engines", text: "#engines #history", kind: "hashtags" },
  },
});

export const changeSnippet = operation({
  ...change,
  method: "PATCH",
  path: "/v1/snippets/:id",
  summary: "Change a snippet",
  description: "Fields that are left out stay. Posts that contain the text stay as they are.",
  params: z.object(buildIdParams(SAMPLE.snippet)),
  body: z.strictObject(fields).partial(),
  result: Snippet,
  success: { 200: "The updated snippet." },
  refusals: ["not_found"],
  examples: { "Another text": { text: "Made in Paris." } },
});

export const removeSnippet = operation({
  ...change,
  method: "DELETE",
  path: "/v1/snippets/:id",
  summary: "Delete a snippet",
  params: z.object(buildIdParams(SAMPLE.snippet)),
  success: { 204: "The snippet is deleted." },
  refusals: ["not_found"],
});

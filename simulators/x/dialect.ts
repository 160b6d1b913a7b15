// The naming scheme in which a caller requests fields.
import type { Context } from "hono";
import { hasPersona } from "../personas.ts";
import type { SimulatorEnv } from "../simulator.ts";
import { invalid, invalidParameter } from "./problem.ts";

/**
 * X's guides and its OpenAPI description 2.167 name fields differently (read 2026-11-22). An answer uses the naming scheme
 * of its request. A name that exists in only one scheme is refused in the other.
 */
const DIALECTS = {
  "tweet.fields": { note: "note_tweet", reposts: "retweet_count" },
  "post.fields": { note: "note_post", reposts: "repost_count" },
} as const;
const FIELDS = ["article", "attachments", "created_at", "entities", "id", "public_metrics", "text"];

export function readDialect(c: Context<SimulatorEnv>, account: string): { fields: string[]; reposts: string } {
  const fieldParameters = (["tweet.fields", "post.fields"] as const).filter((name) => c.req.query(name) !== undefined);
  const [name = "post.fields", secondParameter] = fieldParameters;
  if (name === "post.fields" && fieldParameters.length > 0 && hasPersona(account, "guides_only"))
    throw invalidParameter(
      name,
      c.req.query(name) ?? "",
      "The query parameter [post.fields] is not one of [ids,expansions,tweet.fields,user.fields]",
    );
  if (secondParameter !== undefined) throw invalid("Ask for fields in one dialect");
  const { note, reposts } = DIALECTS[name];
  // The emulator of xdevplatform/playground accepts any parameter that ends in `.fields`, "as the X API does": read
  // 2026-11-24.
  if (name === "post.fields" && hasPersona(account, "ignores_post_fields")) return { fields: [], reposts };
  const fields = (c.req.query(name) ?? "").split(",").filter(Boolean);
  const unknown = fields.filter((field) => field !== note && !FIELDS.includes(field));
  if (unknown.length > 0)
    throw invalidParameter(
      name,
      fields.join(","),
      `The \`${name}\` query parameter value [${unknown.join(", ")}] is not one of the enum`,
    );
  return { fields, reposts };
}

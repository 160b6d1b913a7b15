// Calls and counts for edits of a post.
import { testEnv } from "../support/env.ts";
import { type Account, type Answer, call, type PostBody } from "../support/world.ts";

export const patch = (key: string, id: string, body: object): Promise<Answer<PostBody & { error?: string }>> =>
  call("PATCH", `/v1/posts/${id}`, { token: key, body });
export const countPosts = ({ workspace }: Account) =>
  testEnv.DB.prepare("SELECT COALESCE(SUM(posts), 0) AS n FROM usage_months WHERE workspace_id = ?")
    .bind(workspace)
    .first("n");

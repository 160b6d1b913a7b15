// A post that was created, for tests that edit it.
import { workspaceOfTwo } from "./workspace-of-two.ts";

/** A post that was created, and edits of it; what happened to the publishers since. */
export async function createdPost(body: object = {}, parts: Parameters<typeof workspaceOfTwo>[0] = {}) {
  const workspace = await workspaceOfTwo(parts);
  const id = await workspace.createOne(body);
  workspace.armed.length = 0;
  const edit = (patch: object, more: object = {}) => workspace.call("posts.update", { id, body: patch, ...more });
  return { ...workspace, id, edit };
}

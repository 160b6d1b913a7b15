import { setUpWorkspace } from "./workspace-of-two.ts";

/** Creates a post, and returns `edit` to change it. `armed` then lists only the publishers that edits have woken. */
export async function setUpPost(body: object = {}, parts: Parameters<typeof setUpWorkspace>[0] = {}) {
  const workspace = await setUpWorkspace(parts);
  const id = await workspace.createOne(body);
  workspace.armed.length = 0;
  const edit = (patch: object, fields: object = {}) => workspace.call("posts.update", { id, body: patch, ...fields });
  return { ...workspace, id, edit };
}

// Creates, changes and deletes snippets.
import type {
  changeSnippet as changeContract,
  createSnippet as createContract,
  removeSnippet as removeContract,
} from "../../contract/snippets.ts";
import { makeId } from "../../domain/ids.ts";
import { SNIPPETS_MAX } from "../../domain/limits.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { deleteSnippet, getSnippet, insertSnippet, updateSnippet } from "../../store/snippets.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { created, noContent, ok, type Run } from "../run.ts";
import { snippetView } from "./list.ts";

export const createSnippet: Run<typeof createContract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const id = makeId("snip", ctx.now(), ctx.entropy);
  const entry = makeEntry(ctx, workspaceCaller, "snippet.created", { target: { id, name: body.name } });
  const write = { workspaceId, id, ...body };
  const row = await insertSnippet(databaseToWrite(ctx, workspaceCaller), write, SNIPPETS_MAX, entry);
  if (row === undefined) throw refuse("too_many_entries", { message: `The workspace has ${SNIPPETS_MAX} snippets.` });
  return created(snippetView(row));
};

export const changeSnippet: Run<typeof changeContract> = async (ctx, caller, { params: { id }, body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const entry = makeEntry(ctx, workspaceCaller, "snippet.changed", { target: { id, name: body.name ?? null } });
  const row =
    Object.keys(body).length === 0
      ? await getSnippet(ctx.databaseOf(workspaceId), workspaceId, id)
      : await updateSnippet(databaseToWrite(ctx, workspaceCaller), id, body, entry);
  if (row === undefined) throw refuseNotFound("snippet");
  return ok(snippetView(row));
};

export const removeSnippet: Run<typeof removeContract> = async (ctx, caller, { params: { id } }) => {
  const workspaceCaller = inWorkspace(caller);
  const entry = makeEntry(ctx, workspaceCaller, "snippet.deleted", { target: { id, name: null } });
  if (!(await deleteSnippet(databaseToWrite(ctx, workspaceCaller), id, entry))) throw refuseNotFound("snippet");
  return noContent;
};

// Creates, changes and deletes channel groups.
import type {
  changeChannelGroup as changeContract,
  createChannelGroup as createContract,
  removeChannelGroup as removeContract,
} from "../../contract/channel-groups.ts";
import { makeId } from "../../domain/ids.ts";
import { CHANNEL_GROUPS_MAX } from "../../domain/limits.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import {
  deleteChannelGroup,
  getChannelGroup,
  insertChannelGroup,
  updateChannelGroup,
} from "../../store/channel-groups.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { refuseTwice, refuseUnknownChannel } from "../named-channels.ts";
import { databaseToWrite } from "../rights.ts";
import { created, noContent, ok, type Run } from "../run.ts";
import { channelGroupView } from "./view.ts";

export const createChannelGroup: Run<typeof createContract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const { name, channels } = body;
  refuseTwice(channels);
  const id = makeId("grp", ctx.now(), ctx.entropy);
  const entry = makeEntry(ctx, workspaceCaller, "channel_group.created", { target: { id, name } });
  const write = { workspaceId, id, name, channels };
  const row = await insertChannelGroup(databaseToWrite(ctx, workspaceCaller), write, CHANNEL_GROUPS_MAX, entry);
  if (row !== undefined) return created(channelGroupView(row));
  await refuseUnknownChannel(ctx, workspaceId, channels);
  throw refuse("too_many_entries", { message: `The workspace has ${CHANNEL_GROUPS_MAX} channel groups.` });
};

export const changeChannelGroup: Run<typeof changeContract> = async (ctx, caller, { params: { id }, body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  refuseTwice(body.channels ?? []);
  const entry = makeEntry(ctx, workspaceCaller, "channel_group.changed", { target: { id, name: body.name ?? null } });
  const row =
    Object.keys(body).length === 0
      ? await getChannelGroup(ctx.databaseOf(workspaceId), workspaceId, id)
      : await updateChannelGroup(databaseToWrite(ctx, workspaceCaller), id, body, entry);
  if (row !== undefined) return ok(channelGroupView(row));
  await refuseUnknownChannel(ctx, workspaceId, body.channels ?? []);
  throw refuseNotFound("channel group");
};

export const removeChannelGroup: Run<typeof removeContract> = async (ctx, caller, { params: { id } }) => {
  const workspaceCaller = inWorkspace(caller);
  const entry = makeEntry(ctx, workspaceCaller, "channel_group.deleted", { target: { id, name: null } });
  const isDeleted = await deleteChannelGroup(databaseToWrite(ctx, workspaceCaller), id, entry);
  if (!isDeleted) throw refuseNotFound("channel group");
  return noContent;
};

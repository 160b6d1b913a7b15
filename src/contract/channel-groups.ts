// Named selections of channels, to choose several at once.
import * as z from "zod";
import { CHANNELS_PER_POST_MAX, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, id, limit, name, page } from "./shapes.ts";

const SAMPLE_GROUP = { id: SAMPLE.channelGroup, name: "Product news", channels: [SAMPLE.channel] };

export const ChannelGroup = z
  .object({
    id,
    name: z.string(),
    channels: z
      .array(id)
      .meta(about("In the order in which they were given. A disconnected channel leaves its groups.")),
  })
  .meta({ id: "ChannelGroup", examples: [SAMPLE_GROUP] });

const fields = { name, channels: z.array(id).max(CHANNELS_PER_POST_MAX) };
const sharedDefinition = { ...plain, auth: "key_or_session", tag: "Channels" } as const;
const change = { ...sharedDefinition, ability: "manage_groups", wholeWorkspace: true } as const;

export const listChannelGroups = operation({
  ...sharedDefinition,
  method: "GET",
  path: "/v1/channel-groups",
  ability: "read",
  summary: "List the workspace's channel groups, newest first",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("channel_groups", ChannelGroup),
  success: { 200: "A page of groups." },
  refusals: ["unreadable_cursor"],
});

export const createChannelGroup = operation({
  ...change,
  method: "POST",
  path: "/v1/channel-groups",
  summary: "Create a channel group",
  body: z.strictObject(fields),
  result: ChannelGroup,
  success: { 201: "The new group." },
  refusals: ["unknown_channel", "duplicate_channel", "too_many_entries"],
  examples: { "Two channels": { name: "Product news", channels: [SAMPLE.channel] } },
});

export const changeChannelGroup = operation({
  ...change,
  method: "PATCH",
  path: "/v1/channel-groups/:id",
  summary: "Change a channel group",
  description: "Fields that are left out stay.",
  params: z.object(buildIdParams(SAMPLE.channelGroup)),
  body: z.strictObject({ name: fields.name.optional(), channels: fields.channels.optional() }),
  result: ChannelGroup,
  success: { 200: "The updated group." },
  refusals: ["not_found", "unknown_channel", "duplicate_channel"],
  examples: { "Other channels": { channels: [SAMPLE.channel] }, "Another name": { name: "Launch" } },
});

export const removeChannelGroup = operation({
  ...change,
  method: "DELETE",
  path: "/v1/channel-groups/:id",
  summary: "Delete a channel group",
  description: "Its channels stay.",
  params: z.object(buildIdParams(SAMPLE.channelGroup)),
  success: { 204: "The group is deleted." },
  refusals: ["not_found"],
});

import * as z from "zod";
import { CHANNEL_STATES } from "../domain/channel.ts";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import {
  about,
  cursor,
  id,
  instant,
  jsonValue,
  limit,
  line,
  page,
  pathId,
  pathIdOf,
  switchedOn,
  untrusted,
} from "./shapes.ts";

export const Channel = z
  .object({
    id,
    platform: z.string(),
    handle: z.string().meta(untrusted("The account's name on the network.")),
    name: z.string().nullable().meta(untrusted()),
    avatar_url: z.string().nullable().meta(untrusted()),
    profile_url: z.string().nullable().meta(untrusted()),
    connected: z.boolean().meta({ description: "Whether a credential is stored." }),
    state: z
      .enum(CHANNEL_STATES)
      .meta(
        about(
          "Only `connected` publishes. `needs_reconnect`: its access ended or was taken back; `not_connected`: it never had any.",
        ),
      ),
    token_expires_at: instant
      .nullable()
      .meta(about("When it must be connected again; null: it renews itself or never expires.")),
    waits_until: instant.nullable().meta(about("Until when its network wants to be left alone; null: it does not.")),
    missing_permissions: z
      .array(
        z.object({
          permission: z.string().meta(about("The network's own name of it (OAuth scope).")),
          lost: z.string().meta(about("What does not work without it.")),
        }),
      )
      .meta(
        about("Permissions that publishing does not need and the account's owner did not grant, as far as is known."),
      ),
    connected_by: z
      .string()
      .nullable()
      .meta(
        about(
          "Who connected it last: a person by the name or address that they had then, or a key by its name. null: they are gone, or it was connected " +
            "before this was kept.",
        ),
      ),
    created_at: instant,
  })
  .meta({
    id: "Channel",
    examples: [
      {
        id: SAMPLE.channel,
        platform: SAMPLE.platform,
        handle: "@ada",
        name: "Ada Lovelace",
        avatar_url: "https://cdn.example.net/ada.jpg",
        profile_url: "https://example.net/@ada",
        connected: true,
        state: "connected",
        token_expires_at: null,
        waits_until: null,
        missing_permissions: [{ permission: "read_figures", lost: "Posts have no figures." }],
        connected_by: "Ada",
        created_at: SAMPLE.created,
      },
    ],
  });

export const listChannels = operation({
  ...plain,
  method: "GET",
  path: "/v1/channels",
  auth: "key_or_session",
  ability: "read",
  tag: "Channels",
  summary: "The workspace's channels",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("channels", Channel),
  success: { 200: "Newest first. Credentials are never part of it." },
  refusals: ["unreadable_cursor"],
});

const OptionValue = z
  .object({
    value: z.string().meta(about("What the option takes.")),
    label: z.string(),
    description: z.string().nullable(),
    disabled_reason: z.string().nullable().meta(about("Why it cannot be chosen; null: it can.")),
  })
  .meta({
    id: "OptionValue",
    examples: [{ value: "101", label: "Winter", description: null, disabled_reason: null }],
  });

export const channelOptions = operation({
  ...plain,
  method: "GET",
  path: "/v1/channels/:id/options/:option",
  auth: "key_or_session",
  ability: "read",
  tag: "Channels",
  summary: "What the network offers for an option of this account",
  description:
    "Options with a list have `x-lookup: true` in their platform's rule. An answer is kept for five minutes; `refresh=true` asks the network again.",
  params: z.object({ ...pathIdOf(SAMPLE.channel), option: pathId.meta({ examples: ["board"] }) }),
  query: z.object({
    q: z
      .string()
      .max(200)
      .optional()
      .meta({ description: "Only what has all of these words.", examples: ["winter"] }),
    refresh: switchedOn,
    board: z
      .string()
      .max(100)
      .optional()
      .meta({ description: "For a list that depends on the option `board`: its value.", examples: ["101"] }),
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
  }),
  result: page("options", OptionValue).extend({ fetched_at: instant }),
  success: { 200: "A page of values, in the network's order." },
  refusals: [
    "not_found",
    "option_has_no_lookup",
    "channel_not_connected",
    "channel_needs_reconnect",
    "unreadable_cursor",
    "rate_limited",
    "network_unavailable",
  ],
});

export const connectChannel = operation({
  ...plain,
  method: "POST",
  path: "/v1/channels",
  auth: "key_or_session",
  ability: "manage_channels",
  wholeWorkspace: true,
  tag: "Channels",
  summary: "Connect an account on a network",
  description:
    "Credentials are checked with the network before anything is stored. Without `credentials` the channel can be " +
    "named on drafts only. The same platform and handle again replaces the credential and keeps the id and the queue.",
  body: z.strictObject({
    platform: z.string().max(50).meta(about("One of `GET /v1/platforms`.")),
    handle: line(500).meta(about("The account's name on the network.")),
    credentials: z.record(z.string(), jsonValue).optional().meta({
      description: "Each platform has its own: see `credentials` in `GET /v1/platforms`.",
    }),
    token_expires_at: z.iso.datetime({ offset: true }).optional().meta(about("To be warned before it expires.")),
  }),
  result: Channel,
  success: { 201: "Connected.", 200: "An existing channel has a new credential." },
  refusals: [
    "unknown_platform",
    "connector_request_only",
    "credentials_invalid",
    "network_not_configured",
    "network_unavailable",
    "key_not_configured",
    "plan_limit",
  ],
  examples: {
    "With credentials": {
      platform: SAMPLE.platform,
      handle: "@ada",
      credentials: { access_token: "the network gave you this" },
    },
    "For drafts only": { platform: SAMPLE.platform, handle: "@ada" },
  },
});

export const startConnect = operation({
  ...plain,
  method: "POST",
  path: "/v1/channels/connect",
  auth: "key_or_session",
  ability: "manage_channels",
  wholeWorkspace: true,
  tag: "Channels",
  summary: "Make a link with which the owner of an account connects it",
  description:
    "For platforms whose `auth` is `oauth`. The address needs no session, so it can be sent to the owner of the " +
    "account; it works once and for ten minutes. The account's owner consents at the network, chooses among the accounts that " +
    "the consent covers, and is sent to `return_to` with `channel` (or `error`) added, or sees a page that says how it " +
    "went. Connecting an account again keeps its channel's id and queue.",
  body: z.strictObject({
    platform: z.string().max(50),
    return_to: z.url().max(2_000).optional().meta({ description: "An https address." }),
  }),
  result: z.object({ url: z.string(), expires_at: instant }).meta({
    id: "ConnectLink",
    examples: [
      { url: `https://api.example.com/connect/${"example".repeat(6)}0`, expires_at: "2026-11-21T08:40:00.000Z" },
    ],
  }),
  success: { 201: "The address to open." },
  refusals: [
    "unknown_platform",
    "connector_request_only",
    "url_not_https",
    "network_not_configured",
    "key_not_configured",
    "rate_limited",
  ],
  examples: {
    "Back to your own page": { platform: SAMPLE.platform, return_to: "https://www.example.com/accounts" },
  },
});

export const disconnectChannel = operation({
  ...plain,
  method: "DELETE",
  path: "/v1/channels/:id",
  auth: "key_or_session",
  ability: "manage_channels",
  tag: "Channels",
  summary: "Disconnect a channel",
  description:
    "The credential is erased. What is queued for the channel fails with `channel_disconnected` when its time comes, " +
    "unless the same account is connected again before.",
  params: z.object(pathIdOf(SAMPLE.channel)),
  success: { 204: "Disconnected." },
  refusals: ["not_found"],
});

export const ConnectorRequest = z
  .object({ platform: z.string(), created_at: instant })
  .meta({ id: "ConnectorRequest", examples: [{ platform: "reddit", created_at: SAMPLE.created }] });

export const listConnectorRequests = operation({
  ...plain,
  method: "GET",
  path: "/v1/connector-requests",
  auth: "key_or_session",
  ability: "read",
  tag: "Channels",
  summary: "The request-only platforms that this workspace asked for",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("connector_requests", ConnectorRequest),
  success: { 200: "All of them: there are never more than the platforms." },
  refusals: ["unreadable_cursor"],
});

export const requestConnector = operation({
  ...plain,
  method: "POST",
  path: "/v1/connector-requests",
  auth: "key_or_session",
  ability: "manage_channels",
  wholeWorkspace: true,
  tag: "Channels",
  summary: "Ask for a platform that cannot be connected yet",
  body: z.strictObject({ platform: z.string().max(50).meta(about("One of `request_only` in `GET /v1/platforms`.")) }),
  result: ConnectorRequest,
  success: { 201: "Recorded.", 200: "Was recorded already." },
  refusals: ["unknown_platform"],
  examples: { "Ask for one": { platform: "reddit" } },
});

import * as z from "zod";
import { CHANNEL_STATES } from "../domain/channel.ts";
import { CONNECT_LINK_LIFE_DEFAULT_S, CONNECT_LINK_LIFE_MAX_S, LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { BrandInput } from "./brand.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import {
  about,
  buildIdParams,
  cursor,
  id,
  instant,
  jsonValue,
  limit,
  line,
  page,
  refuseAs,
  untrusted,
} from "./shapes.ts";

export const Channel = z
  .object({
    id,
    platform: z.string(),
    handle: z.string().meta(untrusted("The account's name on the network.")),
    name: z.string().nullable().meta(untrusted()),
    avatar_url: z
      .string()
      .nullable()
      .meta(about("The account's picture, from this service; null if the network reports none. Copied every week.")),
    profile_url: z.string().nullable().meta(untrusted()),
    connected: z.boolean().meta({ description: "Whether a credential is stored." }),
    state: z
      .enum(CHANNEL_STATES)
      .meta(
        about(
          "Only `connected` publishes. `needs_reconnect`: access expired or was revoked. `not_connected`: it never had access.",
        ),
      ),
    token_expires_at: instant
      .nullable()
      .meta(about("When the account must be reconnected; null if access renews itself or never expires.")),
    waits_until: instant
      .nullable()
      .meta(about("Until when the network is rate limiting the account; null if it is not.")),
    missing_permissions: z
      .array(
        z.object({
          permission: z.string().meta(about("The network's name for the permission (OAuth scope).")),
          lost: z.string().meta(about("The function that does not work without it.")),
        }),
      )
      .meta(about("Permissions not needed for publishing that the account's owner did not grant, as far as is known.")),
    tier: z
      .string()
      .nullable()
      .meta(
        about(
          "The account's subscription at the network or way of connecting, a key of the platform's `tiers`; null if there are none.",
        ),
      ),
    connected_by: z
      .string()
      .nullable()
      .meta(
        about(
          "The person (name or address at that time) or key (name) that last connected it. Null if it no longer exists, or the channel was connected " +
            "before this was recorded.",
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
        avatar_url: `https://media.example.com/m/${SAMPLE.workspace}/avatar/yxEXAMPLEexample/${SAMPLE.channel}/${"0a1b2c3d".repeat(4)}/file.png`,
        profile_url: "https://example.net/@ada",
        connected: true,
        state: "connected",
        token_expires_at: null,
        waits_until: null,
        missing_permissions: [{ permission: "read_figures", lost: "Posts have no figures." }],
        tier: null,
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
  summary: "List the workspace's channels",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("channels", Channel),
  success: { 200: "A page of channels, newest first, without credentials." },
  refusals: ["unreadable_cursor"],
});

export const getChannel = operation({
  ...plain,
  method: "GET",
  path: "/v1/channels/:id",
  auth: "key_or_session",
  ability: "read",
  tag: "Channels",
  summary: "Get a channel",
  params: z.object(buildIdParams(SAMPLE.channel)),
  result: Channel,
  success: { 200: "The channel, without credentials." },
  refusals: ["not_found"],
});

export const connectChannel = operation({
  ...plain,
  method: "POST",
  path: "/v1/channels",
  auth: "key_or_session",
  ability: "manage_channels",
  wholeWorkspace: true,
  tag: "Channels",
  summary: "Connect a network account",
  description:
    "Credentials are checked with the network before anything is stored. Without `credentials`, the channel can be " +
    "used in drafts only. Repeating a platform and handle replaces the credential and keeps the id and the queue.",
  body: z.strictObject({
    platform: z.string().max(50).meta(about("A platform from `GET /v1/platforms`.")),
    handle: line(500).meta(about("The account's name on the network.")),
    credentials: z.record(z.string(), jsonValue).optional().meta({
      description: "The platform's credentials: see `credentials` in `GET /v1/platforms`.",
    }),
    token_expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .meta(about("Expiry of the credential, to be warned before it.")),
  }),
  result: Channel,
  success: { 201: "The new channel.", 200: "The existing channel, with its new credential." },
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
  accountScopes: ["connect"],
  tag: "Channels",
  summary: "Create a link for an account's owner to connect it",
  description:
    "The address needs no session, so it can be sent to the owner of the " +
    "account. It works for `expires_in` seconds, until it has connected an account; a refusal at the network does not end it. It also ends when " +
    "its creator may no longer connect channels. The account's owner consents at the network, or enters what the page asks " +
    "for if the network has no page for that, chooses among the accounts that " +
    "the consent covers, and is redirected to `return_to` with `channel` (or `error`) added, or sees a page with the " +
    "result. Reconnecting an account keeps its channel's id and queue.",
  body: z.strictObject({
    platform: z.string().max(50),
    handle: line(300)
      .optional()
      .meta(
        about(
          "The account to connect, for platforms whose `consent.handle` is true. Absent: the link's page asks for it.",
        ),
      ),
    credentials: z
      .record(z.string().max(50), z.string().min(1).max(2_000))
      .refine((map) => Object.keys(map).length <= 5, refuseAs("invalid_field"))
      .optional()
      .meta(
        about(
          "For platforms whose `auth` is `credentials`: those that the account's owner need not enter, such as the token of " +
            "your own bot. They are stored sealed, with the link, and never shown.",
        ),
      ),
    via: z
      .string()
      .max(50)
      .optional()
      .meta(about("Another way to consent, from the platform's `connect_ways`; left out, the usual one.")),
    return_to: z.url().max(2_000).optional().meta({
      description: "An https address to return to, or an http address of the person's own device (`localhost`).",
    }),
    expires_in: z
      .int()
      .min(60)
      .max(CONNECT_LINK_LIFE_MAX_S)
      .optional()
      .meta(
        about(
          `Seconds until the link ends: at most ${CONNECT_LINK_LIFE_MAX_S} (30 days), by default ${CONNECT_LINK_LIFE_DEFAULT_S} (ten minutes).`,
        ),
      ),
    brand: BrandInput.nullable()
      .optional()
      .meta(about("Your brand on the link's pages, which also name the workspace and Crier.")),
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
    "unknown_media",
    "credentials_invalid",
    "network_not_configured",
    "key_not_configured",
    "rate_limited",
  ],
  examples: {
    "A client's account, within a month": {
      platform: SAMPLE.platform,
      expires_in: 2_592_000,
      brand: { name: "Ada & Co.", accent: "#0b57d0" },
    },
    "An account whose handle leads to its server": { platform: SAMPLE.platform, handle: "ada.example.com" },
    "A chat, for your own bot": {
      platform: SAMPLE.platform,
      expires_in: 2_592_000,
      credentials: { bot_token: "the network gave you this" },
    },
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
    "The credential is erased. Queued deliveries of the channel fail with `channel_disconnected` when they are due, " +
    "unless the same account is reconnected before then.",
  params: z.object(buildIdParams(SAMPLE.channel)),
  success: { 204: "The channel is disconnected." },
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
  summary: "List the request-only platforms that this workspace requested",
  query: z.object({ limit: limit(LIST_LIMIT_DEFAULT), cursor }),
  result: page("connector_requests", ConnectorRequest),
  success: { 200: "All requests, at most one per platform." },
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
  summary: "Request a platform that cannot be connected yet",
  body: z.strictObject({
    platform: z.string().max(50).meta(about("A platform in the list `request_only` of `GET /v1/platforms`.")),
  }),
  result: ConnectorRequest,
  success: { 201: "The recorded request.", 200: "The request, which was already recorded." },
  refusals: ["unknown_platform"],
  examples: { "Ask for one": { platform: "reddit" } },
});

// Data for the gallery.
import { networkName } from "../../domain/network-name.ts";
import { NETWORK_COLORS } from "../../identity/networks.ts";
import type { Channel, Me, Workspace } from "../types.ts";

const CREATED_AT = "2026-11-02T08:00:00.000Z";
export const LIVE_AT = "2026-11-26T11:03:00.000Z";

const makeWorkspace = (id: string, name: string, role: Workspace["role"]): Workspace => ({
  id,
  name,
  plan: "pro",
  plan_status: "active",
  created_at: CREATED_AT,
  timezone: "Europe/London",
  approval: "none",
  four_eyes: false,
  require_factor: false,
  media_fit: "adapt",
  brand: null,
  rechecks: "full",
  link_tags: null,
  budget_usd: null,
  external_id: null,
  metadata: {},
  role,
});

export const WORKSPACE = makeWorkspace("ws_1", "Northwind", "owner");
export const WORKSPACES = [
  WORKSPACE,
  makeWorkspace("ws_2", "Harbour & Sons", "publisher"),
  makeWorkspace("ws_3", "Fjällräven Stockholm flagship store and café", "viewer"),
];

export const ME: Me = {
  user: {
    id: "usr_1",
    email: "maya@northwind.example",
    email_verified: true,
    name: "Maya Okafor",
    created_at: CREATED_AT,
  },
  workspaces: WORKSPACES,
};

/** A small picture of our own origin. */
export const PICTURE = "/favicon.ico";

export const CHANNELS: Channel[] = Object.keys(NETWORK_COLORS).map((platform, i) => ({
  id: `ch_${platform}`,
  platform,
  handle: i % 2 === 0 ? "@northwind" : "Northwind Coffee",
  name: `Northwind ${networkName(platform)}`,
  avatar_url: i % 3 === 0 ? PICTURE : null,
  profile_url: null,
  connected: true,
  state: "connected",
  token_expires_at: null,
  waits_until: null,
  missing_permissions: [],
  tier: null,
  connected_by: "Maya",
  created_at: CREATED_AT,
}));

// A hand-written schedule, and the pieces that several of them share.

import type { Plan } from "../faults.ts";
import { getRequiredOptions } from "../networks.ts";
import type { Point } from "../scheduler.ts";
import type { Tenant } from "../tenants.ts";
import { buildComment, buildText, buildThreadPartText, type Channel, type Overrides, type Wanted } from "../wanted.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export interface Scenario {
  /** For each workspace, the network of each of its accounts. */
  tenants: string[][];
  /** The second database is empty at first. */
  hasTwoDatabases?: true;
  /** Each workspace has an endpoint for its events. */
  hasWebhooks?: true;
  /** Epoch milliseconds; absent: an ordinary day. */
  startsAt?: number;
  plan(world: World, workload: Workload): Plan;
  begin(world: World, workload: Workload): void;
}

export const many = (platform: string, count: number): string[] => Array.from({ length: count }, () => platform);

/**
 * Creates a post for these channels that is due `afterMs` after the start. `files`: indices in `FILES`; `parts`: further parts
 * of its thread; `options`: besides the required ones.
 */
export function post(
  world: World,
  workload: Workload,
  tenant: Tenant | undefined,
  {
    afterMs = 0,
    channels,
    files = [],
    comments = false,
    parts = 0,
    options = () => ({}),
  }: {
    afterMs?: number;
    channels?: Channel[];
    files?: number[];
    comments?: boolean;
    parts?: number;
    options?: (channel: Channel) => Overrides[string];
  } = {},
): Wanted {
  if (tenant === undefined) throw new Error("no such workspace");
  const to = channels ?? tenant.channels;
  const media = files.map((i) => tenant.files[i] ?? "");
  const n = workload.wanted.length;
  const overrides: Overrides = {};
  for (const channel of to) {
    const { id, platform } = channel;
    const comment = comments ? { first_comment: buildComment(n, 1) } : {};
    const chosen = options(channel);
    // A draft has none of the options that its network requires of a post.
    const demanded = "post_mode" in chosen ? {} : getRequiredOptions(platform);
    const own = { ...demanded, ...(media.length > 0 ? { media } : {}), ...comment, ...chosen };
    if (Object.keys(own).length > 0) overrides[id] = own;
  }
  const publishAt = afterMs === 0 ? null : world.now() + afterMs;
  const fields = {
    text: buildText(n, 1),
    media: [],
    channels: to.map(({ id }) => id),
    overrides,
    thread: Array.from({ length: parts }, (_, i) => ({ text: buildThreadPartText(n, 1, i + 1), media: [] })),
    publishAt,
    draft: false,
  };
  const wanted = workload.want(tenant, fields, `key-${n}`);
  workload.create(wanted, world.now());
  return wanted;
}

export const isOwn = ({ process }: Point): boolean => process.kind !== "api";

/** A separate post for each account of a workspace, all due at the same instant. */
export function oneForEach(world: World, workload: Workload): void {
  const [tenant] = workload.tenants;
  for (const channel of tenant?.channels ?? []) post(world, workload, tenant, { channels: [channel], afterMs: MINUTE });
}

export const OTHER = ["x", "linkedin"];
/** An unaffected workspace, with one post shortly after the start of the trouble and one later. */
export function bystander(world: World, workload: Workload, tenant: Tenant | undefined): void {
  post(world, workload, tenant, { afterMs: 70 * SECOND });
  post(world, workload, tenant, { afterMs: 3 * MINUTE });
}

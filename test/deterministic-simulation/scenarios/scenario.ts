// A schedule that somebody thought of, and what several of them are made of.

import type { Plan } from "../faults.ts";
import { optionsOf } from "../networks.ts";
import type { Point } from "../scheduler.ts";
import type { Tenant } from "../tenants.ts";
import { type Channel, commentOf, type Overrides, partTextOf, textOf, type Wanted } from "../wanted.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export interface Scenario {
  /** For each workspace the network of each of its accounts. */
  tenants: string[][];
  /** The second one is empty at first. */
  hasTwoDatabases?: true;
  /** Each workspace has an endpoint for its events. */
  hasWebhooks?: true;
  plan(world: World, workload: Workload): Plan;
  begin(world: World, workload: Workload): void;
}

export const many = (platform: string, count: number): string[] => Array.from({ length: count }, () => platform);

/** A post of a workspace for these channels, due `afterMs` after the beginning; `files` by their place in `FILES`; `parts`: of its thread; `options`: beside those that a network demands. */
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
    const comment = comments ? { first_comment: commentOf(n, 1) } : {};
    const chosen = options(channel);
    // A draft has none of the options that its network demands of a post.
    const demanded = "post_mode" in chosen ? {} : optionsOf(platform);
    const own = { ...demanded, ...(media.length > 0 ? { media } : {}), ...comment, ...chosen };
    if (Object.keys(own).length > 0) overrides[id] = own;
  }
  const publishAt = afterMs === 0 ? null : world.now() + afterMs;
  const fields = {
    text: textOf(n, 1),
    media: [],
    channels: to.map(({ id }) => id),
    overrides,
    thread: Array.from({ length: parts }, (_, i) => ({ text: partTextOf(n, 1, i + 1), media: [] })),
    publishAt,
    draft: false,
  };
  const wanted = workload.want(tenant, fields, `key-${n}`);
  workload.create(wanted, world.now());
  return wanted;
}

export const isOwn = ({ process }: Point): boolean => process.kind !== "api";

/** A post of its own for each account of a workspace, all due at one instant. */
export function oneForEach(world: World, workload: Workload): void {
  const [tenant] = workload.tenants;
  for (const channel of tenant?.channels ?? []) post(world, workload, tenant, { channels: [channel], afterMs: MINUTE });
}

export const OTHER = ["x", "linkedin"];
/** A workspace that has nothing to do with the trouble: one post a while after it has begun, and one later. */
export function bystander(world: World, workload: Workload, tenant: Tenant | undefined): void {
  post(world, workload, tenant, { afterMs: 70 * SECOND });
  post(world, workload, tenant, { afterMs: 3 * MINUTE });
}

// Posts that need approval, which are approved, edited and cancelled at the same moments.
import { NO_FAULTS } from "../faults.ts";
import { FILES } from "../networks.ts";
import type { Tenant } from "../tenants.ts";
import { buildText } from "../wanted.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";
import { MINUTE, post, type Scenario, SECOND } from "./scenario.ts";

const POSTS = 24;

/** Replaces the bytes of a post's file with others of the same length. */
function swapFile(workload: Workload, tenant: Tenant): void {
  const [file, other] = FILES;
  const [id] = tenant.files;
  if (file !== undefined && other !== undefined && id !== undefined)
    workload.swap(tenant, id, { ...file, bytes: other.bytes });
}

const ADDRESS = "https://files.example/picture";

/** Posts with a file that are approved within their first minutes and due ten minutes after the start. */
function postApproved(world: World, workload: Workload, tenant: Tenant): void {
  world.database.change("UPDATE workspaces SET approval = 'all' WHERE id = ?", tenant.id);
  for (let i = 0; i < 3; i++) {
    const wanted = post(world, workload, tenant, { afterMs: 10 * MINUTE, files: [0] });
    wanted.approvals = [];
    workload.at(world.now() + MINUTE + i * SECOND, () => workload.approve(wanted));
  }
}

export const approvalScenarios: Record<string, Scenario> = {
  "a file is swapped while its reviewer reads the post": {
    tenants: [["bluesky", "telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      world.database.change("UPDATE workspaces SET approval = 'all' WHERE id = ?", tenant.id);
      for (let i = 0; i < 8; i++) {
        const wanted = post(world, workload, tenant, { afterMs: 10 * MINUTE, files: [0] });
        wanted.approvals = [];
        workload.at(world.now() + MINUTE + i * SECOND, () => workload.approve(wanted));
      }
      workload.at(world.now() + MINUTE + 4.5 * SECOND, () => swapFile(workload, tenant));
    },
  },
  "other bytes arrive at the address of an upload once all is approved": {
    tenants: [["bluesky", "telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      if (tenant === undefined) return;
      postApproved(world, workload, tenant);
      workload.at(world.now() + 5 * MINUTE, () => swapFile(workload, tenant));
      workload.at(world.now() + 10 * MINUTE, () => swapFile(workload, tenant));
    },
  },
  "the host of a file replaces it once all is approved": {
    tenants: [["bluesky", "telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      const [file, other] = FILES;
      const [id] = tenant?.files ?? [];
      if (tenant === undefined || file === undefined || other === undefined || id === undefined) return;
      world.addresses.set(ADDRESS, file);
      world.database.change("UPDATE workspaces SET staged_bytes = staged_bytes - ?", file.bytes.byteLength);
      world.database.change("UPDATE media SET object_key = NULL, etag = NULL, url = ? WHERE id = ?", ADDRESS, id);
      postApproved(world, workload, tenant);
      workload.at(world.now() + 5 * MINUTE, () => world.addresses.set(ADDRESS, { ...file, bytes: other.bytes }));
    },
  },
  "posts that wait are approved, edited and cancelled at once": {
    tenants: [["bluesky", "telegram"]],
    plan: () => NO_FAULTS,
    begin(world, workload) {
      const [tenant] = workload.tenants;
      world.database.change("UPDATE workspaces SET approval = 'all' WHERE id = ?", tenant?.id ?? "");
      for (let i = 0; i < POSTS; i++) {
        const wanted = post(world, workload, tenant, { afterMs: 10 * MINUTE });
        wanted.approvals = [];
        const at = world.now() + MINUTE + i * SECOND;
        workload.at(at, () => workload.approve(wanted));
        if (i % 2 === 0) {
          workload.at(at + Math.floor((i * SECOND) / POSTS), () =>
            workload.edit(wanted, { text: buildText(wanted.n, 2) }),
          );
        }
        if (i % 3 === 0) workload.at(at + Math.floor((i * SECOND) / POSTS), () => workload.cancel(wanted));
        // Most posts that still wait are approved later, undisturbed.
        if (i % 4 !== 0) workload.at(at + 5 * MINUTE, () => workload.approve(wanted));
      }
    },
  },
};

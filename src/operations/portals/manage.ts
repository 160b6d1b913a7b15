import { sha256Hex } from "../../adapters/digest.ts";
import type {
  changePortal as changeContract,
  createPortal as createContract,
  listPortals as listContract,
  removePortal as removeContract,
} from "../../contract/portals.ts";
import { base64Url } from "../../domain/encoding.ts";
import { makeId } from "../../domain/ids.ts";
import { PORTAL_LIFE_DEFAULT_S } from "../../domain/limits.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { changePortal as change, deletePortal, insertPortal, listPortals as list } from "../../store/posts/portals.ts";
import { makeEntry } from "../audit-entry.ts";
import { readBrand } from "../brand.ts";
import { inWorkspace } from "../caller.ts";
import { buildPage, readCursor } from "../cursor.ts";
import { idOfCaller } from "../name-of.ts";
import { databaseToWrite } from "../rights.ts";
import { created, noContent, ok, type Run } from "../run.ts";
import { readScope } from "./scope.ts";
import { isActive, portalView } from "./view.ts";

export const createPortal: Run<typeof createContract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const scope = await readScope(ctx, workspaceId, body);
  if (scope === null) throw refuse("missing_field", { field: "/channels", hint: "Send `channels` or `labels`." });
  const brand = await readBrand(ctx, workspaceId, body.brand ?? null);
  const token = base64Url(ctx.entropy(32));
  const createdAt = ctx.now();
  const row = {
    ...scope,
    workspaceId,
    id: makeId("ptl", createdAt, ctx.entropy),
    tokenHash: await sha256Hex(token),
    name: body.name,
    brand,
    createdBy: idOfCaller(workspaceCaller),
    createdAt,
    expiresAt: createdAt + (body.expires_in ?? PORTAL_LIFE_DEFAULT_S) * 1_000,
  };
  const entry = makeEntry(ctx, workspaceCaller, "portal.created", { target: { id: row.id, name: row.name } });
  const isStored = await insertPortal(databaseToWrite(ctx, workspaceCaller, ctx.accounts), row, entry);
  if (!isStored) throw refuse("too_many_portals");
  return created({ ...portalView(row, true), url: `${ctx.settings.baseUrl}/portal/${token}` });
};

export const listPortals: Run<typeof listContract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const before = readCursor(query.cursor, "ptl");
  const { rows, next } = buildPage(await list(ctx.accounts, workspaceId, query.limit + 1, before), query.limit);
  const makers = new Map(rows.map((row) => [row.createdBy, row]));
  const active = new Map(
    await Promise.all([...makers].map(async ([id, row]) => [id, await isActive(ctx, row)] as const)),
  );
  return ok({ portals: rows.map((row) => portalView(row, active.get(row.createdBy) === true)), next });
};

export const changePortal: Run<typeof changeContract> = async (ctx, caller, { params, body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const scope = await readScope(ctx, workspaceId, body);
  const { name, brand, expires_in: expiresIn } = body;
  const fields = {
    ...scope,
    ...(name === undefined ? {} : { name }),
    ...(brand === undefined ? {} : { brand: await readBrand(ctx, workspaceId, brand) }),
    ...(expiresIn === undefined ? {} : { expiresAt: ctx.now() + expiresIn * 1_000 }),
  };
  const entry = makeEntry(ctx, workspaceCaller, "portal.changed", { target: { id: params.id, name: name ?? null } });
  const row = await change(databaseToWrite(ctx, workspaceCaller, ctx.accounts), params.id, fields, entry);
  if (row === undefined) throw refuseNotFound("portal");
  return ok(portalView(row, await isActive(ctx, row)));
};

export const removePortal: Run<typeof removeContract> = async (ctx, caller, { params }) => {
  const workspaceCaller = inWorkspace(caller);
  const entry = makeEntry(ctx, workspaceCaller, "portal.removed", { target: { id: params.id, name: null } });
  const isDeleted = await deletePortal(databaseToWrite(ctx, workspaceCaller, ctx.accounts), params.id, entry);
  if (!isDeleted) throw refuseNotFound("portal");
  return noContent;
};

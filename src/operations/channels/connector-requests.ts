import type { listConnectorRequests as list, requestConnector as request } from "../../contract/channels.ts";
import { isoInstant } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { REQUEST_ONLY } from "../../networks/request-only.ts";
import * as store from "../../store/connector-requests.ts";
import { inWorkspace } from "../caller.ts";
import { cursorAtText, readText } from "../cursor.ts";
import { created, ok, type Run } from "../run.ts";

export const connectorRequestView = ({ platform, createdAt }: store.ConnectorRequestRow) => ({
  platform,
  created_at: isoInstant(createdAt),
});

export const listConnectorRequests: Run<typeof list> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const last = readText(query.cursor, CURSOR);
  const requests = await store.listConnectorRequests(ctx.databaseOf(workspaceId), workspaceId);
  const start = last === null ? 0 : requests.findIndex(({ platform }) => platform === last) + 1;
  if (last !== null && start === 0) throw refuse("unreadable_cursor", { field: "/cursor" });
  const end = start + query.limit;
  return ok({
    connector_requests: requests.slice(start, end).map(connectorRequestView),
    next: end < requests.length ? cursorAtText(CURSOR, requests[end - 1]?.platform ?? "") : null,
  });
};
const CURSOR = "connector_request";

export const requestConnector: Run<typeof request> = async (ctx, caller, { body }) => {
  const { workspaceId } = inWorkspace(caller);
  if (!REQUEST_ONLY.includes(body.platform)) {
    throw refuse("unknown_platform", { field: "/platform", hint: `Request one of ${REQUEST_ONLY.join(", ")}.` });
  }
  const { row, isNew } = await store.recordConnectorRequest(ctx.databaseOf(workspaceId), workspaceId, body.platform);
  if (row === undefined) throw new Error("the request was not recorded");
  return isNew ? created(connectorRequestView(row)) : ok(connectorRequestView(row));
};

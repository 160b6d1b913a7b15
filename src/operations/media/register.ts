import { counted, type Outbound } from "../../adapters/outbound.ts";
import type { Context } from "../../context.ts";
import type { registerMedia as contract } from "../../contract/media.ts";
import { BlockedAddress } from "../../domain/blocked-address.ts";
import { HostBusy } from "../../domain/host-busy.ts";
import { makeId } from "../../domain/ids.ts";
import { altText } from "../../domain/media/types.ts";
import { refuse } from "../../domain/refusal.ts";
import { insertRegistered } from "../../store/media/media.ts";
import { inWorkspace } from "../caller.ts";
import { limitMedia, limitOutbound, refuseWait } from "../rate-limit.ts";
import { created, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const registerMedia: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { workspaceId } = inWorkspace(caller);
  const checked = ctx.outbound.check(body.url);
  if (typeof checked === "string") throw refuse(checked, { field: "/url" });
  await limitMedia(ctx, workspaceId);
  const found = body.verify === true ? await verify(ctx, workspaceId, checked.href) : null;
  const row = await insertRegistered(ctx.databaseOf(workspaceId), {
    workspaceId,
    id: makeId("med", ctx.now(), ctx.entropy),
    kind: body.kind,
    state: "registered",
    url: checked.href,
    contentType: found?.contentType ?? null,
    bytes: found?.bytes ?? null,
    alt: altText(body.alt),
    createdAt: ctx.now(),
  });
  if (row === undefined) throw new Error("the file was not written");
  return created(mediaView(ctx, row));
};

const REDIRECTS_MAX = 3;
const VERIFY_TIMEOUT_MS = 10_000;

/** Reads the first bytes once, through at most three checked redirects. Throws `url_unreachable` or `url_expired`. */
async function verify(
  ctx: Context,
  workspaceId: string,
  url: string,
): Promise<{ contentType: string | null; bytes: number | null }> {
  await limitOutbound(ctx, workspaceId);
  const call = counted(ctx.outbound.fetch, (at) => ctx.takeHost(workspaceId, at));
  let at = url;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const { status, ok, headers } = await ask(call, at);
    const location = headers.get("location");
    if (status >= 300 && status < 400 && location !== null && URL.canParse(location, at)) {
      at = new URL(location, at).href;
      continue;
    }
    if (status === 401 || status === 403 || status === 410) throw refuse("url_expired", { field: "/url" });
    if (!ok) throw unreachable(`The address answered ${status}.`);
    const total = headers.get("content-range")?.split("/")[1] ?? headers.get("content-length");
    const bytes = total !== null && /^\d+$/.test(total) ? Number(total) : null;
    return { contentType: headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? null, bytes };
  }
  throw unreachable(`The address redirects more than ${REDIRECTS_MAX} times.`);
}

/** One answer, its body unread. A host without a name, a broken connection, silence: the runtime has no one error for them. */
async function ask(call: Outbound["fetch"], url: string): Promise<Response> {
  try {
    const headers = { range: "bytes=0-63" };
    const response = await call(url, { headers, signal: AbortSignal.timeout(VERIFY_TIMEOUT_MS) });
    await response.body?.cancel();
    return response;
  } catch (error) {
    if (error instanceof BlockedAddress) throw refuse(error.refusal, { field: "/url" });
    if (error instanceof HostBusy) refuseWait(error.waitS);
    throw unreachable("The address did not answer.");
  }
}

const unreachable = (message: string) => refuse("url_unreachable", { field: "/url", message });

import { BlockedAddress, type Outbound } from "../../adapters/outbound.ts";
import type { registerMedia as contract } from "../../contract/media.ts";
import { makeId } from "../../domain/ids.ts";
import { altText } from "../../domain/media.ts";
import { refuse } from "../../domain/refusal.ts";
import { insertRegistered } from "../../store/media.ts";
import { inWorkspace } from "../caller.ts";
import { created, type Run } from "../run.ts";
import { mediaView } from "./view.ts";

export const registerMedia: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { workspaceId } = inWorkspace(caller);
  const checked = ctx.outbound.check(body.url);
  if (typeof checked === "string") throw refuse(checked, { field: "/url" });
  const found = body.verify === true ? await verify(ctx.outbound, checked.href) : null;
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
async function verify(outbound: Outbound, url: string): Promise<{ contentType: string | null; bytes: number | null }> {
  const unreachable = (message: string) => refuse("url_unreachable", { field: "/url", message });
  try {
    let at = url;
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const headers = { range: "bytes=0-63" };
      const response = await outbound.fetch(at, { headers, signal: AbortSignal.timeout(VERIFY_TIMEOUT_MS) });
      await response.body?.cancel();
      const { status } = response;
      const location = response.headers.get("location");
      if (status >= 300 && status < 400 && location !== null && URL.canParse(location, at)) {
        at = new URL(location, at).href;
        continue;
      }
      if (status === 401 || status === 403 || status === 410) throw refuse("url_expired", { field: "/url" });
      if (!response.ok) throw unreachable(`The address answered ${status}.`);
      const total = response.headers.get("content-range")?.split("/")[1] ?? response.headers.get("content-length");
      const bytes = total !== null && /^\d+$/.test(total) ? Number(total) : null;
      return { contentType: response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? null, bytes };
    }
    throw unreachable(`The address redirects more than ${REDIRECTS_MAX} times.`);
  } catch (error) {
    if (error instanceof BlockedAddress) throw refuse(error.refusal, { field: "/url" });
    if (error instanceof TypeError || (error instanceof Error && /Timeout|Abort/.test(error.name))) {
      throw unreachable("The address did not answer.");
    }
    throw error;
  }
}

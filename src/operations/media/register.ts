import type { registerMedia as contract } from "../../contract/media.ts";
import { makeId } from "../../domain/ids.ts";
import { refuse } from "../../domain/refusal.ts";
import { insertRegistered } from "../../store/media/media.ts";
import { inWorkspace } from "../caller.ts";
import { limitMedia } from "../rate-limit.ts";
import { databaseToWrite, refuseAfterWait } from "../rights.ts";
import { created, type Run } from "../run.ts";
import { lookAtAddress } from "./look-at-address.ts";
import { describeNew, mediaView } from "./view.ts";

export const registerMedia: Run<typeof contract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const checked = ctx.outbound.check(body.url);
  if (typeof checked === "string") throw refuse(checked, { field: "/url" });
  await limitMedia(ctx, workspaceId);
  const file = body.verify === true ? await lookAtAddress(ctx, workspaceId, checked.href, body.kind) : null;
  if (file !== null) await refuseAfterWait(ctx, workspaceCaller);
  const row = await insertRegistered(databaseToWrite(ctx, workspaceCaller), {
    workspaceId,
    id: makeId("med", ctx.now(), ctx.entropy),
    kind: body.kind,
    state: "registered",
    url: checked.href,
    contentType: file?.contentType ?? null,
    bytes: file?.bytes ?? null,
    width: file?.width ?? null,
    height: file?.height ?? null,
    durationMs: file?.seconds == null ? null : Math.round(file.seconds * 1000),
    ...describeNew(body.kind, body),
    createdAt: ctx.now(),
  });
  if (row === undefined) throw new Error("the file was not written");
  return created({ ...mediaView(ctx, row), warnings: ctx.outbound.warn(checked) });
};

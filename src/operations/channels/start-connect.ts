import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import type { startConnect as contract } from "../../contract/channels.ts";
import { base64Url } from "../../domain/encoding.ts";
import { isoInstant } from "../../domain/instant.ts";
import { CONNECT_LINK_LIFE_DEFAULT_S } from "../../domain/limits.ts";
import { isLoopback } from "../../domain/oauth.ts";
import { refuse } from "../../domain/refusal.ts";
import type { LinkForm } from "../../networks/network.ts";
import { insertConnectLink } from "../../store/channels/connect-links.ts";
import { makeEntry } from "../audit-entry.ts";
import { readBrand } from "../brand.ts";
import { inWorkspace } from "../caller.ts";
import { idOfCaller } from "../name-of.ts";
import { publishable } from "../platforms/publishes.ts";
import { limitConnectLinks } from "../rate-limit.ts";
import { created, type Run } from "../run.ts";
import { findConsentWay } from "./ask-consent.ts";
import { refuseUnconnectable } from "./connect.ts";
import { getSealContext, sealAttempt } from "./connect-link.ts";
import { nameApp } from "./consent-way.ts";
import { readPreset } from "./link-form.ts";

/** Creates a link for a user. The network is not called before the link is opened. */
export const startConnect: Run<typeof contract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const { platform, via = null, return_to: returnTo = null, handle = null } = body;
  refuseUnconnectable(platform);
  const { credentials = {} } = body;
  const form = via === null ? findForm(ctx, platform, Object.keys(credentials).length > 0) : null;
  if (form === null && Object.keys(credentials).length > 0) throw refuse("invalid_field", { field: "/credentials" });
  const { handle: takesHandle } = form === null ? requireConsent(ctx, platform, via) : { handle: false };
  if (handle !== null && !takesHandle) throw refuse("invalid_field", { field: "/handle", ...NO_HANDLE });
  if (returnTo !== null) refuseReturnAddress(returnTo);
  const brand = await readBrand(ctx, workspaceId, body.brand ?? null);
  if (ctx.seal === null) throw refuse("key_not_configured");
  await limitConnectLinks(ctx, workspaceId);
  const token = base64Url(ctx.entropy(32));
  const id = await sha256Hex(token);
  const madeBy = idOfCaller(workspaceCaller);
  const createdAt = ctx.now();
  const expiresAt = createdAt + (body.expires_in ?? CONNECT_LINK_LIFE_DEFAULT_S) * 1_000;
  const attempt = { verifier: base64Url(ctx.entropy(32)), pending: null };
  const place = { workspaceId, id };
  const verifier =
    form === null
      ? await sealAttempt(ctx.seal, place, attempt)
      : await ctx.seal.seal(JSON.stringify(await readPreset(ctx, platform, form, credentials)), getSealContext(place));
  const entry = makeEntry(ctx, workspaceCaller, "channel.link_created", {
    details: { platform, ...(via !== null && { via }) },
  });
  await insertConnectLink(
    ctx.accounts,
    { ...{ id, workspaceId, platform, via, handle, returnTo, verifier, expiresAt, madeBy }, createdAt, brand },
    entry,
  );
  return created({ url: `${ctx.settings.baseUrl}/connect/${token}`, expires_at: isoInstant(expiresAt) });
};

const NO_HANDLE = {
  message: "The network asks for the account itself.",
  hint: "Leave `handle` out. Platforms whose `consent.handle` is true take it.",
};

/** The form that a link's page shows; null: the link leads to the network's consent. */
function findForm(ctx: Context, platform: string, hasCredentials: boolean): LinkForm | null {
  const network = publishable(ctx, platform);
  const asksConsent = findConsentWay(network, ctx) !== null && !hasCredentials;
  return asksConsent ? null : (network.linkForm ?? null);
}

function requireConsent(ctx: Context, platform: string, via: string | null): { handle: boolean } {
  const network = publishable(ctx, platform);
  const way = findConsentWay(network, ctx, via);
  if (way !== null) return way;
  const ways = network.rule.connect_ways ?? [];
  if (via !== null && !ways.some((other) => other.via === via)) {
    const others = ways.flatMap((other) => other.via ?? []);
    const hint = others.length === 0 ? "Leave it out." : `Leave it out, or send one of ${others.join(", ")}.`;
    throw refuse("invalid_field", { field: "/via", message: `${platform} cannot be connected like this.`, hint });
  }
  if (network.consent !== undefined) {
    const name = nameApp(platform, via).toUpperCase();
    throw refuse("network_not_configured", {
      field: via === null ? "/platform" : "/via",
      hint: `The operator sets \`${name}_CLIENT_ID\` and \`${name}_CLIENT_SECRET\`.`,
    });
  }
  if (network.consentByHandle !== undefined)
    throw refuse("network_not_configured", {
      field: "/platform",
      hint: "Consent needs a public https address: the operator sets `BASE_URL`. Or call `POST /v1/channels` with `credentials`.",
    });
  throw refuse("invalid_field", {
    field: "/platform",
    message: `${platform} is connected with credentials, not with a link.`,
    hint: "Call `POST /v1/channels` with `credentials`.",
  });
}

function refuseReturnAddress(address: string): void {
  const url = new URL(address);
  const isAllowed = url.protocol === "https:" || isLoopback(url);
  if (isAllowed && url.username === "" && url.password === "") return;
  throw refuse("url_not_https", { field: "/return_to" });
}

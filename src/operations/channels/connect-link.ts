// A link to connect an account: what its page says about it, and its opening. It needs no session: the link itself authorizes its
// holder to act for the workspace.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import type { PlatformRule } from "../../domain/posts/platform-rule.ts";
import { findNetwork, networks } from "../../networks/index.ts";
import type { GrantRefused } from "../../networks/network.ts";
import { type Owner, ownersOfEach } from "../../store/accounts/members.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { type ConnectLink, findConnectLink, openConnectLink } from "../../store/channels/connect-links.ts";
import { showBrand } from "../brand.ts";
import { mayMakerStill } from "../maker.ts";
import { type Attempt, findConsentWay, startConsent } from "./ask-consent.ts";
import { nameSite } from "./consent-way.ts";

/**
 * The workspace that an account is connected to. It is shown so that a person does not connect their account to a
 * stranger's workspace unknowingly.
 */
export interface LinkedWorkspace {
  name: string;
  owners: Owner[];
  brand: Awaited<ReturnType<typeof showBrand>>;
}
/** The address that the network redirects the user back to. */
export const buildRedirectUri = (ctx: Context, platform: string) =>
  `${ctx.settings.baseUrl}/v1/channels/callback/${getCallback(findNetwork(platform)?.rule) ?? platform}`;

/** The end of a platform's redirect address. */
const getCallback = (rule: PlatformRule | undefined) => rule?.access.app?.callback ?? rule?.platform;

/** The platform whose redirect address ends in `callback`; undefined if no platform has it. */
export const findPlatform = (callback: string): string | undefined =>
  networks.find(
    ({ rule, consent, consentByHandle }) =>
      (consent !== undefined || consentByHandle !== undefined) && getCallback(rule) === callback,
  )?.rule.platform;

/** A link as its page shows it. */
export interface LinkView {
  platform: string;
  /** The id of the user, key or application that created it. */
  madeBy: string | null;
  workspace: LinkedWorkspace;
  /** Whether the person has to enter the account's handle; `handle` is what stands in that field. */
  asksHandle: boolean;
  handle: string;
  /** The site on which the person consents, as people call it. */
  site: string;
}

/** Describes a link's purpose for its page; null if the link can no longer be opened. */
export async function describeLink(ctx: Context, token: string): Promise<LinkView | null> {
  const link = await findConnectLink(ctx.accounts, await sha256Hex(token));
  return link === undefined ? null : viewLink(ctx, link);
}

async function viewLink(ctx: Context, link: ConnectLink): Promise<LinkView | null> {
  const workspace = (await mayStillConnect(ctx, link)) ? await findLinkedWorkspace(ctx, link) : null;
  const way = findConsentWay(findNetwork(link.platform), ctx, link.via);
  if (workspace === null || way === null) return null;
  const { platform, via, madeBy, handle } = link;
  return {
    platform,
    site: nameSite(platform, via),
    madeBy,
    workspace,
    asksHandle: way.handle && handle === null,
    handle: handle ?? "",
  };
}

/** Whether the maker of a link may still connect accounts. */
export const mayStillConnect = async (ctx: Context, { workspaceId, madeBy }: ConnectLink): Promise<boolean> =>
  madeBy !== null && (await mayMakerStill(ctx, workspaceId, madeBy, "manage_channels"));

export async function findLinkedWorkspace(
  ctx: Context,
  { workspaceId, brand }: ConnectLink,
): Promise<LinkedWorkspace | null> {
  const workspace = await getWorkspace(ctx.accounts, workspaceId);
  if (workspace === undefined) return null;
  await ctx.homes.locate(workspaceId);
  const owners = await ownersOfEach(ctx.accounts, [workspaceId]);
  return {
    name: workspace.name,
    owners: owners.get(workspaceId) ?? [],
    brand: await showBrand(ctx, workspaceId, brand),
  };
}

export type Opened =
  | { is: "invalid_link" }
  /** `url` leads to the network; `browser` is the secret that binds the network's answer to this browser. */
  | { is: "opened"; url: string; browser: string }
  /** The account's handle is missing, or its server cannot be asked; `problem`: why. */
  | { is: "asks_handle"; link: LinkView; problem: Pick<GrantRefused, "message" | "hint" | "networkMessage"> | null };

/** Opens a link, which can be opened again until it has connected an account. `typed`: the handle that the person entered. */
export async function openLink(ctx: Context, token: string, typed: string): Promise<Opened> {
  const link = await findConnectLink(ctx.accounts, await sha256Hex(token));
  const view = link && (await viewLink(ctx, link));
  if (!link || !view || ctx.seal === null) return { is: "invalid_link" };
  const handle = typed.trim() || view.handle;
  if (view.asksHandle && handle === "") return { is: "asks_handle", link: view, problem: null };
  const [state, browser, verifier] = [32, 32, 32].map((length) => base64Url(ctx.entropy(length)));
  if (state === undefined || browser === undefined || verifier === undefined) throw new Error("no secrets");
  const redirectUri = buildRedirectUri(ctx, link.platform);
  const started = await startConsent(ctx, link, { handle, redirectUri, state, verifier });
  if (started === null) return { is: "invalid_link" };
  if (started.is !== "started") {
    const problem = started.is === "grant_refused" ? started : AWAY;
    return { is: "asks_handle", link: { ...view, asksHandle: true, handle }, problem };
  }
  const opened = await openConnectLink(ctx.accounts, link.id, {
    stateHash: await sha256Hex(state),
    browserHash: await sha256Hex(browser),
    verifier: await sealAttempt(ctx.seal, link, { verifier, pending: started.pending }),
  });
  return opened === undefined ? { is: "invalid_link" } : { is: "opened", url: started.url, browser };
}
const AWAY = { message: "The account's server did not answer.", hint: "Try again in a minute." };

/** Seals the values of an opening. */
export const sealAttempt = (
  seal: NonNullable<Context["seal"]>,
  link: Pick<ConnectLink, "workspaceId" | "id">,
  attempt: Attempt,
) => seal.seal(JSON.stringify(attempt), getSealContext(link));

/** What a sealed value of a link is bound to. */
export const getSealContext = ({ workspaceId: workspace, id: row }: Pick<ConnectLink, "workspaceId" | "id">) =>
  ({ purpose: "oauth-transaction", workspace, row }) as const;

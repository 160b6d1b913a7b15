// A link to connect an account: what its page says about it, and its opening. It needs no session: the link itself authorizes its
// holder to act for the workspace.
import { sha256, sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { base64Url } from "../../domain/encoding.ts";
import { findNetwork, networks } from "../../networks/index.ts";
import { type Owner, ownersOfEach } from "../../store/accounts/members.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { type ConnectLink, findConnectLink, openConnectLink } from "../../store/channels/connect-links.ts";
import { showBrand } from "../brand.ts";
import { mayMakerStill } from "../maker.ts";

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
  `${ctx.settings.baseUrl}/v1/channels/callback/${findNetwork(platform)?.rule.access.app?.callback ?? platform}`;

/** The platform whose redirect address ends in `callback`; undefined if no platform has it. */
export const findPlatform = (callback: string): string | undefined =>
  networks.find(({ rule }) => rule.access.app?.callback === callback)?.rule.platform;

/**
 * Describes a link's purpose for its page; null if the link can no longer be opened. `madeBy` is the id of the user, key or
 * application that created it.
 */
export async function describeLink(ctx: Context, token: string) {
  const link = await findConnectLink(ctx.accounts, await sha256Hex(token));
  const workspace = link && (await mayStillConnect(ctx, link)) ? await findLinkedWorkspace(ctx, link) : null;
  return link && workspace ? { platform: link.platform, madeBy: link.madeBy, workspace } : null;
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

/**
 * Opens a link, which can be opened again until it has connected an account. `url` leads to the network; `browser` is the
 * secret that binds the network's answer to this browser.
 */
export async function openLink(ctx: Context, token: string): Promise<{ url: string; browser: string } | null> {
  const state = base64Url(ctx.entropy(32));
  const browser = base64Url(ctx.entropy(32));
  const verifier = base64Url(ctx.entropy(32));
  const link = await findConnectLink(ctx.accounts, await sha256Hex(token));
  const consent = link && findNetwork(link.platform)?.consent;
  const app = link && ctx.settings.appOf(link.platform);
  if (!link || !consent || !app || ctx.seal === null || !(await mayStillConnect(ctx, link))) return null;
  const opened = await openConnectLink(ctx.accounts, link.id, {
    stateHash: await sha256Hex(state),
    browserHash: await sha256Hex(browser),
    verifier: await sealVerifier(ctx.seal, link, verifier),
  });
  if (opened === undefined) return null;
  const challenge = base64Url(await sha256(verifier));
  const { apiVersion } = ctx.networkIO(link.platform);
  const request = { redirectUri: buildRedirectUri(ctx, link.platform), state, challenge, apiVersion };
  return { url: ctx.addressOf(link.platform, consent.address(app, request)), browser };
}

/** Seals the PKCE verifier of a link. */
export const sealVerifier = (
  seal: NonNullable<Context["seal"]>,
  link: Pick<ConnectLink, "workspaceId" | "id">,
  verifier: string,
) => seal.seal(verifier, getSealContext(link));

/** What a sealed value of a link is bound to. */
export const getSealContext = ({ workspaceId: workspace, id: row }: Pick<ConnectLink, "workspaceId" | "id">) =>
  ({ purpose: "oauth-transaction", workspace, row }) as const;

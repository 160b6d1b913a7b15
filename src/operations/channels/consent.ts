// The flow behind a link to connect an account, once it was opened (-> connect-link.ts): back from the network with a code, and,
// if the consent covers several accounts, a choice.
import * as z from "zod";
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { isId } from "../../domain/ids.ts";
import type { Json } from "../../domain/json.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Account } from "../../networks/network.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import {
  answerConnectLink,
  type ConnectLink,
  findGranted,
  putBackLink,
  storeGranted,
  takeGranted,
} from "../../store/channels/connect-links.ts";
import type { KnownActor } from "../audit-entry.ts";
import { findNames } from "../name-of.ts";
import { rightsOfMaker } from "../rights.ts";
import { Attempt, exchangeCode } from "./ask-consent.ts";
import {
  buildRedirectUri,
  findLinkedWorkspace,
  getSealContext,
  type LinkedWorkspace,
  mayStillConnect,
} from "./connect-link.ts";
import { nameApp, nameSite } from "./consent-way.ts";
import { copyPicture, storeKnownAccount } from "./store-account.ts";

/** An account as the choice lists it. */
interface Offered {
  id: string;
  handle: string;
  name: string | null;
}
export type Consented =
  /** The link has expired, was used, was opened in another browser, or its maker may no longer connect accounts. */
  | { is: "invalid_link" }
  /**
   * `leftOut`: how many further accounts the consent covers that cannot be offered. `isNoneChosen`: the user has submitted
   * the choice without an account.
   */
  | {
      is: "choose";
      platform: string;
      accounts: Offered[];
      leftOut: number;
      workspace: LinkedWorkspace;
      isNoneChosen: boolean;
    }
  | {
      is: "connected";
      platform: string;
      channels: { id: string; handle: string }[];
      workspace: LinkedWorkspace;
      returnTo: string | null;
    }
  | {
      is: "failed";
      platform: string;
      error: string;
      message: string;
      hint: string | null;
      networkMessage?: string | undefined;
      workspace: LinkedWorkspace;
      returnTo: string | null;
    };

/** The network's redirect, read from its query. */
export interface Redirect {
  platform: string;
  state: string;
  code: string | null;
  /** The OAuth error code that explains a missing code. */
  error: string | null;
  /** The server that sent the user back, as it names itself (RFC 9207); null: it does not. */
  issuer: string | null;
  /** The secret of the browser's cookie. */
  browser: string;
  /** The id of the user who is signed in on this browser; null: nobody is. */
  user: string | null;
}

/**
 * Exchanges the code and offers the accounts of the consent. Some networks repeat a consent without asking the user, so
 * a page asks here and says which account goes to which workspace. The member who created the link knows the workspace:
 * for this member, the only account of a consent is connected at once.
 */
export async function finishConsent(ctx: Context, redirect: Redirect): Promise<Consented> {
  const { platform, code } = redirect;
  const link = await answerConnectLink(ctx.accounts, await hashed(redirect));
  const attempt = link && (await unseal(ctx, link, link.verifier));
  if (!link || !attempt || !(await mayStillConnect(ctx, link))) return { is: "invalid_link" };
  const workspace = await findLinkedWorkspace(ctx, link);
  if (workspace === null) return { is: "invalid_link" };
  const name = nameSite(platform, link.via);
  const failed = (error: string, message: string, hint: string | null) => ({
    is: "failed" as const,
    platform,
    error,
    message,
    hint,
    workspace,
    returnTo: link.returnTo,
  });
  if (code === null) {
    if (redirect.error === "access_denied")
      return failed("access_denied", "You did not give consent, so nothing was connected.", OPEN_AGAIN);
    if (SCOPE_ERRORS.includes(redirect.error ?? "")) {
      const hint = `Ask the operator to set \`${nameApp(platform, link.via).toUpperCase()}_SCOPES\` to the scopes that the app has.`;
      return failed("scope_refused", `${name} refused a scope that Crier's app requested but does not have.`, hint);
    }
    return failed("provider_refused", `${name} did not grant access.`, OPEN_AGAIN);
  }
  const reply = { code, redirectUri: buildRedirectUri(ctx, platform), issuer: redirect.issuer };
  const answer = await exchangeCode(ctx, link, Attempt.parse(JSON.parse(attempt)), reply);
  if (answer === null) return { is: "invalid_link" };
  if (answer.is === "grant_refused")
    return { ...failed("grant_refused", answer.message, answer.hint), networkMessage: answer.networkMessage };
  if (answer.is === "retryable") return failed("network_unavailable", `${name} did not answer.`, OPEN_AGAIN);
  const { accounts, leftOut = 0 } = answer;
  if (accounts.length === 0 && leftOut > 0)
    return failed("no_account", sayLeftOut(leftOut), "Open the link again and choose fewer accounts on the network.");
  if (accounts.length === 0)
    return failed(
      "no_account",
      "The consent does not include any account that Crier can publish to.",
      "Open the link again and choose such an account on the network.",
    );
  const [only] = accounts;
  if (
    only !== undefined &&
    accounts.length + leftOut === 1 &&
    redirect.user !== null &&
    redirect.user === link.madeBy
  ) {
    const taken = await takeGranted(ctx.accounts, await hashed(redirect));
    return taken === undefined ? { is: "invalid_link" } : connectAll(ctx, link, workspace, [only]);
  }
  const sealed = await ctx.seal?.seal(JSON.stringify({ accounts, leftOut }), getSealContext(link));
  if (sealed === undefined) return { is: "invalid_link" };
  await storeGranted(ctx.accounts, link.id, sealed);
  return { is: "choose", platform, accounts: accounts.map(offer), leftOut, workspace, isNoneChosen: false };
}

/** Says that a consent covers more accounts than can be offered. */
export const sayLeftOut = (count: number): string =>
  `${count} ${count === 1 ? "account" : "accounts"} of this consent cannot be offered here, because there are too many at once or their names are not usable.`;

/** A link can be used until it has connected an account. */
const OPEN_AGAIN = "Open the link again to try once more.";

/** Error codes that mean that the app lacks a scope: a code that some networks use, then that of RFC 6749, 4.1.2.1. */
const SCOPE_ERRORS = ["unauthorized_scope_error", "invalid_scope"];

/** Connects the offered accounts that the user chose. A choice without an account leaves the link open. */
export async function chooseAccounts(ctx: Context, answer: Answer, chosen: string[]): Promise<Consented> {
  const link = await findGranted(ctx.accounts, await hashed(answer));
  const granted = link?.granted && (await unseal(ctx, link, link.granted));
  if (!link || !granted || !(await mayStillConnect(ctx, link))) return { is: "invalid_link" };
  const workspace = await findLinkedWorkspace(ctx, link);
  if (workspace === null) return { is: "invalid_link" };
  const { accounts: offered, leftOut } = Granted.parse(JSON.parse(granted));
  const accounts = offered.filter(({ accountId }) => chosen.includes(accountId));
  if (accounts.length === 0) {
    return {
      is: "choose",
      platform: link.platform,
      accounts: offered.map(offer),
      leftOut,
      workspace,
      isNoneChosen: true,
    };
  }
  const taken = await takeGranted(ctx.accounts, await hashed(answer));
  if (taken === undefined) return { is: "invalid_link" };
  return connectAll(ctx, link, workspace, accounts);
}

/** What is stored until the user has chosen. */
const Granted = z.object({
  leftOut: z.number(),
  accounts: z.array(
    z.object({
      is: z.literal("connected"),
      accountId: z.string(),
      handle: z.string(),
      name: z.string().nullable(),
      avatarUrl: z.string().nullable(),
      profileUrl: z.string().nullable(),
      credential: z.json(),
      tokenExpiresAt: z.number().nullable(),
      missingPermissions: z.array(z.string()).exactOptional(),
      tier: z.string().exactOptional(),
    }),
  ),
});

/** Connects the accounts of a link that was taken, and puts the link back if none of them could be stored. */
export async function connectAll(
  ctx: Context,
  link: ConnectLink,
  workspace: LinkedWorkspace,
  accounts: Account<Json>[],
): Promise<Consented> {
  const { platform, returnTo } = link;
  const channels: ChannelRow[] = [];
  await ctx.homes.locate(link.workspaceId);
  const maker = await findMaker(ctx, link);
  const creator = { workspaceId: link.workspaceId, makerId: link.madeBy ?? "", since: link.createdAt };
  const rights = rightsOfMaker(creator, "manage_channels");
  try {
    for (const account of accounts) {
      const { row } = await storeKnownAccount(ctx, link.workspaceId, platform, account, { rights, maker });
      channels.push(row);
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (channels.length === 0) await putBackLink(ctx.accounts, link);
    const note =
      channels.length === 0 ? "" : ` Connected before that: ${channels.map(({ handle }) => handle).join(", ")}.`;
    const { code, message, detail } = error;
    const hint = detail.hint ?? null;
    return { is: "failed", platform, error: code, message: message + note, hint, workspace, returnTo };
  }
  // All at once, because the person waits for them.
  await Promise.all(channels.map((row) => copyPicture(ctx, row)));
  return {
    is: "connected",
    platform,
    channels: channels.map(({ id, handle }) => ({ id, handle })),
    workspace,
    returnTo,
  };
}

/** The maker of a link, as the audit log's actor: nothing identifies the person who chose the accounts. */
async function findMaker(ctx: Context, { workspaceId, madeBy }: ConnectLink): Promise<KnownActor> {
  const names = await findNames(ctx, workspaceId, [madeBy]);
  const kind = madeBy !== null && isId("usr", madeBy) ? "person" : "key";
  return { workspaceId, actor: { kind, id: madeBy, name: (madeBy === null ? undefined : names.get(madeBy)) ?? "" } };
}

const offer = ({ accountId: id, handle, name }: Account<Json>): Offered => ({ id, handle, name });

type Answer = Pick<Redirect, "platform" | "state" | "browser">;
async function hashed({ platform, state, browser }: Answer) {
  return { platform, stateHash: await sha256Hex(state), browserHash: await sha256Hex(browser) };
}

async function unseal(ctx: Context, link: ConnectLink, sealed: string): Promise<string | null> {
  return (await ctx.seal?.unseal(sealed, getSealContext(link))) ?? null;
}

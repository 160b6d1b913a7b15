// A connect link for an account whose network has no consent page: the link's own page asks for what the network needs.
import * as z from "zod";
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { BlockedAddress } from "../../domain/blocked-address.ts";
import type { JsonObject } from "../../domain/json.ts";
import { networkName } from "../../domain/network-name.ts";
import { Refusal, refuse } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import type { LinkForm, LinkFormField } from "../../networks/network.ts";
import { type ConnectLink, findConnectLink, takeConnectLink } from "../../store/channels/connect-links.ts";
import { askNetwork } from "./connect.ts";
import { findLinkedWorkspace, getSealContext, type LinkedWorkspace, mayStillConnect } from "./connect-link.ts";
import { type Consented, connectAll } from "./consent.ts";

/** The credentials that the maker of a link gave with it, by their names, and who posts with them. */
const Preset = z.object({ credentials: z.record(z.string(), z.string()), publisher: z.string().nullable() });
type Preset = z.output<typeof Preset>;

/** A link's form for its page. */
export interface ShownForm {
  platform: string;
  workspace: LinkedWorkspace;
  steps: string[];
  /** The fields that the person fills in. */
  fields: readonly LinkFormField[];
}

/** Checks the credentials that a link's maker gives with it, and finds out who posts with them. */
export async function readPreset(
  ctx: Context,
  platform: string,
  form: LinkForm,
  credentials: Record<string, string>,
): Promise<Preset> {
  const unknown = Object.keys(credentials).find((given) => !form.fields.some(({ name }) => name === given));
  if (unknown !== undefined) throw refuse("credentials_invalid", { field: `/credentials/${unknown}` });
  if (form.fields.every(({ name }) => name in credentials)) {
    throw refuse("credentials_invalid", {
      field: "/credentials",
      message: "Nothing is left for the account's owner to enter.",
      hint: "Call `POST /v1/channels` to connect the account itself.",
    });
  }
  const publisher = (await form.findPublisher?.(credentials, ctx.networkIO(platform))) ?? null;
  if (publisher !== null || form.findPublisher === undefined || Object.keys(credentials).length === 0) {
    return { credentials, publisher };
  }
  throw refuse("credentials_invalid", {
    field: "/credentials",
    message: `${networkName(platform)} does not accept these credentials.`,
  });
}

/** The form of a link; null if the link cannot be used, or its network asks for consent itself. */
export async function describeForm(ctx: Context, token: string): Promise<ShownForm | null> {
  return (await findForm(ctx, token))?.shown ?? null;
}

async function findForm(ctx: Context, token: string) {
  const link = await findConnectLink(ctx.accounts, await sha256Hex(token));
  const form = link && findNetwork(link.platform)?.linkForm;
  const preset = link && form && (await openPreset(ctx, link));
  if (!link || !form || !preset || !(await mayStillConnect(ctx, link))) return null;
  const workspace = await findLinkedWorkspace(ctx, link);
  if (workspace === null) return null;
  const fields = form.fields.filter(({ name }) => !(name in preset.credentials));
  return { link, preset, shown: { platform: link.platform, workspace, steps: form.steps(preset.publisher), fields } };
}

/** null: the link leads to the network's own consent. */
async function openPreset(ctx: Context, link: ConnectLink): Promise<Preset | null> {
  const opened = (await ctx.seal?.unseal(link.verifier, getSealContext(link))) ?? "";
  return opened.startsWith("{") ? (Preset.safeParse(JSON.parse(opened)).data ?? null) : null;
}

export type FormResult =
  | { is: "invalid_link" }
  /** The network does not accept what was entered, or did not answer. */
  | { is: "refused"; form: ShownForm; message: string; hint: string | null; networkMessage: string | undefined }
  | { is: "finished"; consented: Consented };

/** Connects the account with what its owner has entered. A refusal leaves the link open. */
export async function connectByForm(
  ctx: Context,
  token: string,
  getEntered: (name: string) => string,
): Promise<FormResult> {
  const found = await findForm(ctx, token);
  if (found === null) return { is: "invalid_link" };
  const { link, preset, shown: form } = found;
  const entered = Object.fromEntries(form.fields.map(({ name }) => [name, getEntered(name).trim()]));
  const credentials: JsonObject = { ...entered, ...preset.credentials };
  try {
    const account = await askNetwork(ctx, link.workspaceId, link.platform, credentials);
    const taken = await takeConnectLink(ctx.accounts, link.id);
    if (taken === undefined) return { is: "invalid_link" };
    return { is: "finished", consented: await connectAll(ctx, taken, form.workspace, [account]) };
  } catch (error) {
    if (error instanceof Refusal || error instanceof BlockedAddress) return { is: "refused", form, ...explain(error) };
    throw error;
  }
}

function explain(error: Refusal | BlockedAddress) {
  if (!(error instanceof Refusal))
    return { message: "The address cannot be called.", hint: null, networkMessage: undefined };
  const { message, detail } = error;
  return { message, hint: detail.hint ?? null, networkMessage: detail.networkMessage };
}

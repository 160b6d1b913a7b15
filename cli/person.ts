// Calls that need a user instead of a key, in a session by password that ends with the command.
import { looksLikeAppCode } from "../src/domain/factor.ts";
import type { Client } from "./api/client.ts";
import { requireUrl } from "./api/config.ts";
import type { Arguments, Flags, Shell } from "./command.ts";
import { Failure, Refused, usage } from "./failure.ts";
import { openClient, settings } from "./session.ts";

/** The flags of commands that need a user. */
export const OF_PERSON = {
  workspace: {
    type: "string",
    value: "WORKSPACE",
    description: "Workspace id. Default: the workspace of the key in use, or your only workspace.",
  },
} as const satisfies Flags;

interface Person {
  /** A client that acts in that workspace. */
  client: Client;
  /** The id of the selected workspace. */
  workspace: string;
}

/** Runs `work` in a session: that of CRIER_SESSION, or one by password that ends afterwards. */
export async function asPerson(
  args: Arguments<"workspace" | "url">,
  shell: Shell,
  work: (person: Person) => Promise<number>,
): Promise<number> {
  const config = await settings(args, shell);
  const url = requireUrl(config);
  const sessionToken = shell.env.CRIER_SESSION || null;
  const token = sessionToken ?? (await signIn(url, shell));
  const client = openClient(shell, { url, key: token });
  try {
    const workspace = await resolveWorkspace(args, shell, client, config.key);
    return await work({ client: openClient(shell, { url, key: token, workspace }), workspace });
  } finally {
    if (sessionToken === null) await client.call("accounts.sign-out").catch(() => {});
  }
}

async function signIn(url: string, shell: Shell): Promise<string> {
  if (!shell.stdin.isTTY) {
    throw usage(
      "This command needs a signed-in person, not a key.",
      "sign in at a terminal, or set CRIER_SESSION to a session's token",
    );
  }
  const { ask, askHidden } = await import("./output/prompt.ts");
  const email = await ask("Email:", shell);
  const password = await askHidden("Password:", shell);
  const client = openClient(shell, { url, key: null });
  const askCode = () => askHidden("Code from your authenticator app, or a recovery code:", shell);
  return beginSession(client, { email, password }, askCode);
}

/** Starts a session, and asks for the second factor if the account has one. Returns the session's token. */
export async function beginSession(
  client: Pick<Client, "call">,
  body: { email: string; password: string },
  askCode: () => Promise<string>,
): Promise<string> {
  try {
    return (await client.call("accounts.sign-in", { body })).body.token;
  } catch (error) {
    const challenge = readChallenge(error);
    if (challenge === null) throw error;
    return passFactor(client, challenge, await askCode());
  }
}

/** The challenge of a refusal that asks for the second factor; null for any other error. */
function readChallenge(error: unknown): string | null {
  if (!(error instanceof Refused) || error.body.error !== "factor_required") return null;
  return error.body.challenge ?? null;
}

async function passFactor(client: Pick<Client, "call">, challenge: string, typed: string): Promise<string> {
  const factor = looksLikeAppCode(typed) ? { code: typed } : { recovery_code: typed };
  return (await client.call("accounts.sign-in-with-factor", { body: { challenge, ...factor } })).body.token;
}

async function resolveWorkspace(
  args: Arguments<"workspace">,
  shell: Shell,
  client: Client,
  key: string | null,
): Promise<string> {
  const workspaceId = args.get("workspace");
  if (workspaceId !== undefined) return workspaceId;
  const ofKey = key === null ? null : await workspaceOfKey(shell, client.url, key);
  if (ofKey !== null) return ofKey;
  const { body } = await client.call("accounts.me");
  const [only, secondWorkspace] = body.workspaces;
  if (only !== undefined && secondWorkspace === undefined) return only.id;
  throw usage("No workspace is specified.", `--workspace ${body.workspaces.map(({ id }) => id).join(" or ")}`);
}

/** null: the key is no longer valid, or may not read its workspace. */
async function workspaceOfKey(shell: Shell, url: string, key: string): Promise<string | null> {
  try {
    return (await openClient(shell, { url, key }).call("workspaces.current")).body.id;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

// Calls that are for people and not for keys: a session by password, which ends with the command.
import type { Client } from "./api/client.ts";
import { addressOf } from "./api/config.ts";
import type { Flags, Shell, Words } from "./command.ts";
import { Failure, usage } from "./failure.ts";
import { clientOf, settings } from "./session.ts";

/** The flags of commands for people. */
export const OF_PERSON = {
  workspace: {
    type: "string",
    value: "WORKSPACE",
    description: "The id of the workspace; by default that of the key in use, or the only one of the person.",
  },
} as const satisfies Flags;

interface Person {
  /** Acts in that workspace. */
  client: Client;
  /** The id of the workspace that is meant. */
  workspace: string;
}

/** Has `work` done in a session: that of CRIER_SESSION, or one by password that ends with it. */
export async function asPerson(
  words: Words<"workspace" | "url">,
  shell: Shell,
  work: (person: Person) => Promise<number>,
): Promise<number> {
  const config = await settings(words, shell);
  const url = addressOf(config);
  const given = shell.env.CRIER_SESSION || null;
  const token = given ?? (await signIn(url, shell));
  const client = clientOf(shell, { url, key: token });
  try {
    const workspace = await workspaceOf(words, shell, client, config.key);
    return await work({ client: clientOf(shell, { url, key: token, workspace }), workspace });
  } finally {
    if (given === null) await client.call("accounts.sign-out").catch(() => {});
  }
}

async function signIn(url: string, shell: Shell): Promise<string> {
  if (!shell.stdin.isTTY) {
    throw usage(
      "This is for people, not for keys.",
      "sign in at a terminal, or set CRIER_SESSION to a session's token",
    );
  }
  const { ask, askHidden } = await import("./output/prompt.ts");
  const email = await ask("Email:", shell);
  const password = await askHidden("Password:", shell);
  const client = clientOf(shell, { url, key: null });
  const { body } = await client.call("accounts.sign-in", { body: { email, password } });
  return body.token;
}

async function workspaceOf(
  words: Words<"workspace">,
  shell: Shell,
  client: Client,
  key: string | null,
): Promise<string> {
  const named = words.one("workspace");
  if (named !== undefined) return named;
  const ofKey = key === null ? null : await workspaceOfKey(shell, client.url, key);
  if (ofKey !== null) return ofKey;
  const { body } = await client.call("accounts.me");
  const [only, other] = body.workspaces;
  if (only !== undefined && other === undefined) return only.id;
  throw usage("Which workspace is meant?", `--workspace ${body.workspaces.map(({ id }) => id).join(" or ")}`);
}

/** null: the key says nothing of it any more, or may not. */
async function workspaceOfKey(shell: Shell, url: string, key: string): Promise<string | null> {
  try {
    return (await clientOf(shell, { url, key }).call("workspaces.current")).body.id;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

// `npm run smoke -- --url https://...`: creates a workspace, does what a customer does, and deletes the workspace. Exit code
// 0: every check that ran passed; 1: a check failed; 2: invalid arguments, or no answer.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { createClient } from "../src/client/index.ts";
import { signIn } from "./deploy/account.ts";
import type { Cloudflare } from "./deploy/cloudflare.ts";
import { DeployFailure } from "./deploy/failure.ts";
import { Channel, type Outcome, runSmoke } from "./smoke/run.ts";

const USAGE = `npm run smoke -- --url https://crier.example.com
  --channel FILE    JSON { "platform", "handle", "credentials" }: publishes two posts there; simulators need none
  --webhook URL     an endpoint that answers with 2xx, preferably a Worker of the same account
  --ahead SECONDS   how far in the future the second post is scheduled (120)
  --large           uploads 101 MB and 512 MB too
  --slow            waits 15 minutes until an upload address has expired
  --deploy COMMAND  run while a video is being published, preferably "npm run deploy"; the post must still be published exactly once
  --backup FILE     that npm run backup wrote: restores it into an empty local state and compares every line
  --analytics       checks Cloudflare's analytics of the last day, with the sign-in of npm run deploy, and reports alarming values
  --sign-up         signs up and erases that account; needs an open SIGN_UP, and the operator's own account must already exist
SMOKE_EMAIL and SMOKE_PASSWORD in the environment are the account in which it creates its workspace. A local run needs neither. If the
account has a second factor, SMOKE_CODE is a code of its authenticator app or a recovery code; without it you are asked.`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const options = read(args);
  if (options === null) {
    console.error(USAGE);
    return 2;
  }
  const { url, channel: file, webhook, ahead, large, slow, "sign-up": maySignUp } = options;
  const channel = file === undefined ? null : await readChannel(file);
  if (channel === undefined) return 2;
  const analytics = await signInFor(options.analytics);
  if (analytics === undefined) return 2;
  const outcomes: Outcome[] = [];
  const tell = (outcome: Outcome) => {
    outcomes.push(outcome);
    console.log(`${outcome.state.padEnd(8)} ${outcome.check.padEnd(24)} ${outcome.says}`);
  };
  const { SMOKE_EMAIL: email, SMOKE_PASSWORD: password } = process.env;
  const isAlive = await runSmoke(
    {
      nobody: createClient({ url, key: null }),
      account: email && password ? { email, password } : null,
      askCode,
      channel,
      webhook: webhook ?? null,
      aheadMs: Number(ahead) * 1_000,
      isLarge: large,
      isSlow: slow,
      maySignUp,
      deploy: options.deploy ?? null,
      backup: options.backup ?? null,
      analytics,
    },
    tell,
  );
  const failed = outcomes.filter(({ state }) => state === "failed").length;
  const skipped = outcomes.filter(({ state }) => state === "skipped").length;
  console.log(`\n${outcomes.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
  if (!isAlive) return 2;
  return failed === 0 ? 0 : 1;
}

/** The code from the environment, or typed by the user at a terminal. */
async function askCode(): Promise<string | null> {
  const { SMOKE_CODE: code } = process.env;
  if (code !== undefined) return code.trim();
  if (!process.stdin.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await terminal.question("Code from your authenticator app, or a recovery code: ");
  terminal.close();
  return typed.trim();
}

/** undefined: the file describes no channel, and an error was printed. */
async function readChannel(file: string): Promise<Channel | undefined> {
  try {
    return Channel.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    // Omits the messages of the file system and the parser, because they would quote credentials.
    console.error(`${file} cannot be read, or is not JSON { "platform", "handle", "credentials" }.`);
    return undefined;
  }
}

/** null: not requested. undefined: not signed in, and an error was printed. */
async function signInFor(isWanted: boolean): Promise<Cloudflare | null | undefined> {
  if (!isWanted) return null;
  try {
    return (await signIn(process.env, new AbortController().signal)).cloudflare;
  } catch (error) {
    if (!(error instanceof DeployFailure)) throw error;
    console.error(`${error.message}\n${error.fix}`);
    return undefined;
  }
}

function read(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        url: { type: "string" },
        channel: { type: "string" },
        webhook: { type: "string" },
        ahead: { type: "string", default: "120" },
        large: { type: "boolean", default: false },
        slow: { type: "boolean", default: false },
        "sign-up": { type: "boolean", default: false },
        deploy: { type: "string" },
        backup: { type: "string" },
        analytics: { type: "boolean", default: false },
      },
    });
    const { url } = values;
    if (url === undefined || !URL.canParse(url) || !(Number(values.ahead) > 0)) return null;
    return { ...values, url: url.replace(/\/+$/, "") };
  } catch {
    return null;
  }
}

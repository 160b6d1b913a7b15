// Runs wrangler for steps that only it can do: migrations, the bundle with its bindings and triggers, and secrets before the
// Worker exists.
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { DASHBOARD, missingPermission, TOKENS_PAGE } from "./cloudflare.ts";
import { DeployFailure } from "./failure.ts";
import { ROOT } from "./installation.ts";

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

export interface WranglerOptions {
  /** Added to our own environment: the credentials and the account. */
  env?: Record<string, string>;
  /** Standard input. It keeps secrets out of arguments and files. */
  input?: string;
  signal: AbortSignal;
}

/** Runs wrangler and returns its output. Throws wrangler's own message if it fails. */
export async function runWrangler(args: string[], { env, input, signal }: WranglerOptions): Promise<string> {
  const child = spawn(process.execPath, [WRANGLER, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...env,
      // Processes that wrangler starts use the same Node.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      // Disables prompts, telemetry and update checks, and keeps no log of a call that carries secrets.
      CI: "1",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_WRITE_LOGS: "false",
      WRANGLER_LOG: "log",
      WRANGLER_HIDE_BANNER: "true",
      NO_COLOR: "1",
    },
    stdio: ["pipe", "pipe", "pipe"],
    signal,
  });
  let output = "";
  let complaints = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (complaints += text));
  // Wrangler may exit without reading its input.
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw wranglerFailure(args, `${output}\n${complaints}`, code);
  return output;
}

/** The prefix of errors that wrangler prints. */
const ERROR = /^\s*(?:✘|X) \[ERROR\] (.*(?:\n(?!\s*(?:✘|X|▲|🪵|If you think|To learn)).*)*)/gmu;

function wranglerFailure(args: string[], printed: string, code: number | null): DeployFailure {
  const text = stripVTControlCharacters(printed);
  const errors = [...text.matchAll(ERROR)].map(([, errorMessage = ""]) =>
    errorMessage.replace(/\s*\n\s*/g, " ").trim(),
  );
  const reason = errors.length > 0 ? errors.join(" ") : text.trim().slice(-1_000);
  const name = `wrangler ${args
    .filter((word) => !word.startsWith("-"))
    .slice(0, 3)
    .join(" ")}`;
  return new DeployFailure(`${name} ended with ${code}: ${reason}`, wranglerFix(reason));
}

/**
 * Recognizes the refusal of an Images binding. No page of Cloudflare describes this refusal (searched 2026-11-26). But the
 * refusal of any binding has the name of the binding or of the product.
 */
const NAMES_IMAGES =
  /\bIMAGES\b|\b(?:Cloudflare )?Images\b.*\b(?:binding|plan|enable|subscri|entitle|account)|\bimages binding\b/;

function wranglerFix(reason: string): string {
  if (NAMES_IMAGES.test(reason)) {
    return (
      "The account cannot use Cloudflare Images; the running Worker was not changed. Deploy without it: npm run deploy -- --no-images. " +
      "Posts are then published, but media_fit: adapt gets status 503. Or enable Images at " +
      `${DASHBOARD}/?to=/:account/images and deploy again.`
    );
  }
  const [, path = ""] = /request to the Cloudflare API \((\S+?)\) failed/i.exec(reason) ?? [];
  if (/\[code: (10000|7403|9109)\]|Authentication error|\b403\b/.test(reason)) return missingPermission(path);
  if (/\[code: 100328\]/.test(reason)) return "The account is on Workers Free: npm run deploy -- --account-plan free";
  if (/not logged in|\[code: (1000|9106|6003)\]/i.test(reason)) {
    return `Sign in with npx wrangler login, or set CLOUDFLARE_API_TOKEN (${TOKENS_PAGE}).`;
  }
  if (/\b(429|5\d\d)\b|rate limit|fetch failed|ECONN|socket|terminated|malformed response/i.test(reason)) {
    return "Cloudflare is busy or unreachable: see https://www.cloudflarestatus.com. Wait a minute.";
  }
  return "See wrangler's message above.";
}

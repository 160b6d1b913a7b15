// `npm run doctor`: finds the problems of an installation, and suggests fixes. For operators; `crier doctor` is for users.
import { parseArgs } from "node:util";
import { signIn } from "./deploy/account.ts";
import { readSecrets } from "./deploy/secrets.ts";
import { examine, type Finding } from "./doctor/examine.ts";

const USAGE = `npm run doctor                     checks the installation that npm run deploy created, and changes nothing
  --name NAME     the installation with this name
  --secrets FILE  a copy of its secrets, in the format of npm run deploy -- --secrets. It is used to test the bucket's key
                  and the networks' apps. Without it, the environment is used
  --mail ADDRESS  sends a test email to ADDRESS, with SMTP_URL from that copy or from the environment
  --json          print all findings as JSON
The exit code is 0 unless a check fails.`;
const MARKS = { ok: "✓", warning: "!", failed: "✗" };

function usage(complaint: string): never {
  console.error(`${complaint}\n${USAGE}`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        name: { type: "string" },
        secrets: { type: "string" },
        mail: { type: "string" },
        json: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

async function readCopy(file: string): Promise<Record<string, string>> {
  try {
    return await readSecrets(file);
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

const { name, secrets, mail, json } = readArguments();
if (mail !== undefined && !/^[^@\s]+@[^@\s]+$/.test(mail)) usage(`${mail} is not an email address.`);
const findings: Finding[] = [];
const secretValues = secrets === undefined ? process.env : await readCopy(secrets);
await examine(
  { name, known: secretValues, mailTo: mail },
  () => signIn(process.env, new AbortController().signal),
  (finding) => {
    findings.push(finding);
    if (json) return;
    const { check, state, message, fix } = finding;
    console.log(`${MARKS[state]} ${check.padEnd(10)} ${message}`);
    for (const line of fix?.split("\n") ?? []) console.log(`             → ${line}`);
  },
);
if (json) console.log(JSON.stringify({ findings }, null, 2));
// The mailer leaves timers running, so the process exits once its output is flushed.
process.stdout.write("", () => process.exit(findings.some(({ state }) => state === "failed") ? 1 : 0));

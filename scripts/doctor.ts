// `npm run doctor`: finds the problems of an installation, and suggests fixes. For operators; `crier doctor` is for users.
import { parseArgs } from "node:util";
import { signIn } from "./deploy/account.ts";
import { readSecrets } from "./deploy/secrets.ts";
import { examine, type Finding } from "./doctor/examine.ts";

const USAGE = `npm run doctor                     looks at the installation that npm run deploy made, and changes nothing
  --name NAME     the installation of this name
  --secrets FILE  a copy of its secrets, as npm run deploy -- --secrets takes it: the bucket's key and the networks' apps are
                  tried; without it those of the environment are
  --mail ADDRESS  sends a mail there by its settings, with SMTP_URL of that copy or of the environment
  --json          what was found, as JSON
Exit code 0 unless something has failed.`;
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
if (mail !== undefined && !/^[^@\s]+@[^@\s]+$/.test(mail)) usage(`${mail} is no address.`);
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

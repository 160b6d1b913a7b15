import { command } from "../command.ts";
import { EXIT, Failure } from "../failure.ts";
import { count } from "../output/format.ts";
import { readText } from "../read-text.ts";
import { anybody, COMMON, signedIn, URL_FLAG, writeJson } from "../session.ts";
import {
  type ReceiptFile,
  readKeySet,
  readReceiptFile,
  type VerifiedReceipt,
  verifyReceipt,
} from "../verify-receipt.ts";

const KEYS_TIMEOUT_MS = 30_000;

export const receipt = command({
  name: "receipt",
  summary: "Print a signed receipt of what was published, when and where.",
  details:
    "The receipt has the hashes of what was accepted, each call and its answer, the networks' ids and addresses, every recheck and the " +
    "takedown, as of now. Its file is all that `crier verify` needs.",
  positionals: [{ name: "post", description: "Id of a post.", required: true }],
  flags: COMMON,
  examples: [["crier receipt post_01… > receipt.json", "Keep it in a file."]],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const client = await signedIn(args, shell);
    const { body } = await client.call("posts.receipt", { params: { id } });
    writeJson(shell.out, body);
    return 0;
  },
});

export const verify = command({
  name: "verify",
  summary: "Verify a receipt, without a network.",
  details:
    "Checks the signature with the key in the file. Anyone can make a key, so compare its id with the one that the service lists at " +
    "/.well-known/jwks.json, or let --online do it. The exit code is 1 if the receipt is not valid.",
  positionals: [{ name: "file", description: "File of `crier receipt`, or - for stdin.", required: true }],
  flags: {
    online: { type: "boolean", description: "Also check that the service lists the key." },
    json: { type: "boolean", description: "Print the verified claims as JSON." },
    ...URL_FLAG,
  },
  examples: [
    ["crier verify receipt.json", "Check the signature and show what it says."],
    ["crier verify receipt.json --online", "Also ask the service whether the key is its own."],
  ],
  async run(args, shell) {
    const [path = ""] = args.positionals;
    const text = (await readText(path === "-" ? "-" : undefined, path === "-" ? undefined : path, shell)) ?? "";
    const file = readReceiptFile(text);
    const verified = await verifyReceipt(file);
    if (args.has("online")) {
      const client = await anybody(args, shell);
      await requireListed(file, verified, client.url, shell.signal);
    }
    if (args.has("json")) writeJson(shell.out, verified.claims);
    else for (const line of describe(verified)) shell.out.line(line);
    if (!args.has("online")) {
      shell.err.line(`Not checked: that ${verified.claims.iss} lists key ${verified.kid}. --online checks it.`);
    }
    return 0;
  },
});

/** Throws unless the service at `url`, which must be the receipt's own, lists the key that signed. */
async function requireListed(file: ReceiptFile, { claims, kid }: VerifiedReceipt, url: string, signal: AbortSignal) {
  if (claims.iss !== url) {
    throw new Failure(EXIT.unexpected, `The receipt is from ${claims.iss}, not from ${url}.`, `--url ${claims.iss}`);
  }
  const limited = AbortSignal.any([signal, AbortSignal.timeout(KEYS_TIMEOUT_MS)]);
  const answer = await fetch(`${url}/.well-known/jwks.json`, { signal: limited }).catch(() => null);
  if (answer?.ok !== true) throw new Failure(EXIT.unexpected, `${url} did not answer with its keys.`);
  const listed = readKeySet(await answer.json().catch(() => null));
  const used = file.keys.find((key) => key.kid === kid);
  if (!listed.some((key) => key.kid === kid && key.x === used?.x)) {
    throw new Failure(
      EXIT.unexpected,
      `${url} does not list key ${kid}.`,
      "Keys are listed for a year after their last signature; fetch a new receipt.",
    );
  }
}

function describe({ claims, kid }: VerifiedReceipt): string[] {
  const { deliveries } = claims;
  const lines = [
    `Valid: signed by key ${kid} of ${claims.iss}.`,
    `${claims.sub}, as of ${new Date(claims.iat * 1000).toISOString()}: ${count(deliveries.length, "delivery", "deliveries")}.`,
  ];
  for (const { platform, handle, status, posts, calls, rechecks } of deliveries) {
    lines.push(`  ${platform} ${handle ?? "(removed)"}: ${status.replaceAll("_", " ")}`);
    for (const { sent_at, outcome } of calls) lines.push(`    sent ${sent_at}: ${outcome ?? "no answer"}`);
    for (const { url, id, published_at } of posts) lines.push(`    ${published_at ?? ""} ${url ?? id}`);
    const last = rechecks.at(-1);
    if (last !== undefined) lines.push(`    rechecked ${last.at}: ${last.result.replaceAll("_", " ")}`);
  }
  return lines;
}

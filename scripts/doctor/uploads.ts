// Checks uploads to the bucket: CORS from a browser's point of view, and the key that signs upload addresses.
import { randomUUID } from "node:crypto";
import { AwsClient } from "aws4fetch";
import type { Finding } from "./examine.ts";

export interface Uploads {
  /** The Worker's settings, such as `S3_ENDPOINT`. */
  vars: Record<string, string>;
  has(name: string): boolean;
  /** The bucket that the Worker reads. */
  bucket: string;
  /** The origin of the pages that upload; null: no page uploads. */
  pages: string | null;
  /** The operator's copy of the secrets, because the Worker's own cannot be read. */
  known: Record<string, string | undefined>;
  /** The command to redeploy this installation. */
  again: string;
}

const ANSWER_WITHIN_MS = 15_000;
const TOKEN =
  "create a new token (R2 in the dashboard, Manage API tokens, Object Read & Write for this bucket), then set both values";
const CONTENT = "A check of Crier.";

export async function examineUploads(
  { vars, has, bucket, pages, known, again }: Uploads,
  tell: (finding: Finding) => void,
): Promise<void> {
  const check = "uploads";
  const { S3_BUCKET, S3_ENDPOINT } = vars;
  if (S3_BUCKET !== undefined && S3_BUCKET !== bucket) {
    const message = `S3_BUCKET is ${S3_BUCKET}, but the Worker reads ${bucket}, so uploaded files are never found.`;
    tell({ check, state: "failed", message, fix: `${again} --set S3_BUCKET=${bucket}` });
  }
  if (S3_ENDPOINT === undefined) return;
  const address = `${S3_ENDPOINT}/${S3_BUCKET ?? bucket}/doctor/${randomUUID()}`;
  if (pages !== null) {
    const corsProblem = await findFailure(() => preflight(address, pages));
    const message =
      corsProblem === null
        ? `Browsers can upload from ${pages}.`
        : `Browsers cannot upload from ${pages}: ${corsProblem}.`;
    tell({ check, ...(corsProblem === null ? { state: "ok", message } : { state: "failed", message, fix: again }) });
  }
  if (!["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"].every(has)) return;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = known;
  if (!accessKeyId || !secretAccessKey) {
    const message =
      "The bucket's key is set but cannot be read here. To test it, provide a copy with --secrets FILE or in the environment, " +
      "or run crier doctor with a workspace key.";
    return tell({ check, state: "ok", message });
  }
  const keyProblem = await findFailure(() => tryKey(address, { accessKeyId, secretAccessKey }));
  if (keyProblem === null) tell({ check, state: "ok", message: "The bucket's key can write, read and delete." });
  else tell({ check, state: "failed", message: `The bucket's key does not work: ${keyProblem}.`, fix: TOKEN });
}

/** The error message; null: success. */
async function findFailure(act: () => Promise<string | null>): Promise<string | null> {
  try {
    return await act();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The request that a browser sends before an upload. */
async function preflight(address: string, origin: string): Promise<string | null> {
  const answer = await fetch(address, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type",
    },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const list = (name: string) =>
    (answer.headers.get(`access-control-allow-${name}`) ?? "").split(",").map((entry) => entry.trim().toLowerCase());
  const allows = (name: string, value: string) =>
    list(name).some((entry) => entry === "*" || entry === value.toLowerCase());
  if (!answer.ok) return `the bucket answers ${answer.status}`;
  const lacking = [
    ["origin", origin],
    ["methods", "PUT"],
    ["headers", "content-type"],
  ].filter(([name = "", value = ""]) => !allows(name, value));
  return lacking.length === 0 ? null : `the bucket does not allow ${lacking.map(([, value]) => value).join(", ")}`;
}

async function tryKey(address: string, key: { accessKeyId: string; secretAccessKey: string }): Promise<string | null> {
  const client = new AwsClient({ ...key, service: "s3", region: "auto" });
  const call = async (method: string, body?: string) => {
    const signed = await client.sign(address, { method, ...(body === undefined ? {} : { body }) });
    const answer = await fetch(signed.url, {
      method,
      headers: signed.headers,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(body === undefined ? {} : { body }),
    });
    return { ok: answer.ok, text: await answer.text(), status: answer.status };
  };
  const describeAnswer = (action: string, { status, text }: { status: number; text: string }) => {
    const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1];
    return `${action} was answered with status ${status}${code === undefined ? "" : ` ${code}`}`;
  };
  const writeAnswer = await call("PUT", CONTENT);
  if (!writeAnswer.ok) return describeAnswer("writing", writeAnswer);
  try {
    const got = await call("GET");
    if (!got.ok) return describeAnswer("reading", got);
    if (got.text !== CONTENT) return "the file that was read differs from the file that was written";
  } finally {
    const deleteAnswer = await call("DELETE");
    const remains = `${describeAnswer("deleting", deleteAnswer)}; ${new URL(address).pathname.slice(1)} was not deleted`;
    // biome-ignore lint/correctness/noUnsafeFinally: a file left in the bucket is more important than any other error.
    if (!deleteAnswer.ok) return remains;
  }
  return null;
}

// The S3 endpoint of the stand-in's buckets: signed calls, and the preflight requests of browsers.
import { AwsV4Signer } from "aws4fetch";
import { type Context, Hono } from "hono";
import * as z from "zod";
import type { Account } from "./state.ts";

/** The key that the buckets accept. */
export const S3_KEY = { S3_ACCESS_KEY_ID: "key-of-the-bucket", S3_SECRET_ACCESS_KEY: "secret-of-the-bucket" };

const Rule = z.object({
  allowed: z.object({ origins: z.array(z.string()), methods: z.array(z.string()), headers: z.array(z.string()) }),
});

const refuseCall = (c: Context, status: 403 | 404, code: string) =>
  c.body(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, status);

export function serveBuckets(account: Account): Hono {
  const app = new Hono();
  const objects = new Map<string, string>();
  app.all("/:host{.+\\.r2\\.cloudflarestorage\\.com}/:bucket/:key{.+}", async (c) => {
    const { host, bucket: name, key } = c.req.param();
    const bucket = account.buckets.get(name);
    if (bucket === undefined) return refuseCall(c, 404, "NoSuchBucket");
    if (c.req.method === "OPTIONS") {
      const origin = c.req.header("origin") ?? "";
      const rule = z
        .array(Rule)
        .parse(bucket.rules)
        .find(({ allowed }) => allowed.origins.includes(origin));
      if (rule === undefined) return c.body(null, 403);
      c.header("access-control-allow-origin", origin);
      c.header("access-control-allow-methods", rule.allowed.methods.join(", "));
      c.header("access-control-allow-headers", rule.allowed.headers.join(", "));
      return c.body(null, 204);
    }
    const signer = new AwsV4Signer({
      accessKeyId: S3_KEY.S3_ACCESS_KEY_ID,
      secretAccessKey: S3_KEY.S3_SECRET_ACCESS_KEY,
      service: "s3",
      region: "auto",
      method: c.req.method,
      url: `https://${host}/${name}/${key}`,
      datetime: c.req.header("x-amz-date") ?? "",
      headers: { "x-amz-content-sha256": c.req.header("x-amz-content-sha256") ?? "" },
    });
    const { headers } = await signer.sign();
    if (headers.get("authorization") !== c.req.header("authorization"))
      return refuseCall(c, 403, "SignatureDoesNotMatch");
    const objectName = `${name}/${key}`;
    if (c.req.method === "PUT") objects.set(objectName, await c.req.text());
    if (c.req.method === "DELETE") objects.delete(objectName);
    if (c.req.method !== "GET") return c.body(null, 200);
    const content = objects.get(objectName);
    return content === undefined ? refuseCall(c, 404, "NoSuchKey") : c.text(content);
  });
  return app;
}

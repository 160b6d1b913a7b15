import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, it } from "vitest";
import * as z from "zod";
import { ROOT } from "../../support/documents/markdown.ts";

const Bound = z.array(z.object({ binding: z.string() }));
const Configuration = z.object({
  vars: z.record(z.string(), z.string()),
  d1_databases: Bound,
  r2_buckets: Bound,
  queues: z.object({ producers: Bound }),
});
const Manifest = z.object({
  cloudflare: z.object({ bindings: z.record(z.string(), z.object({ description: z.string() })) }),
});

/** Every deploy sets these variables itself. */
const SET_BY_DEPLOY = ["DEAD_LETTER_QUEUE"];

it("package.json explains each name that the deploy button asks for", () => {
  const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
  const { vars, d1_databases, r2_buckets, queues } = Configuration.parse(parse(read("wrangler.toml")));
  const bindings = [...d1_databases, ...r2_buckets, ...queues.producers].map(({ binding }) => binding);
  const names = [...bindings, ...Object.keys(vars).filter((name) => !SET_BY_DEPLOY.includes(name))];
  const explained = Object.keys(Manifest.parse(JSON.parse(read("package.json"))).cloudflare.bindings);
  expect(explained.sort()).toEqual(names.sort());
});

// A deploy that is killed, refused or left without an answer at any of its calls, against the stand-in, with the real wrangler.
import { describe, expect, it } from "vitest";
import { signIn } from "../../../scripts/deploy/account.ts";
import { DeployFailure } from "../../../scripts/deploy/failure.ts";
import { readOptions } from "../../../scripts/deploy/options.ts";
import { deploy } from "../../../scripts/deploy/run.ts";
import { makeProject, startCloud, summarize } from "../../support/cloudflare/installed.ts";
import { runDeploy, startDeploy } from "../../support/cloudflare/project.ts";
import { type Fault, type StandIn, TOKEN } from "../../support/cloudflare/server.ts";
import { ROOT } from "../../support/documents/markdown.ts";

/** Each call of a first deploy that changes something, in order. */
const WRITES = [
  "PUT /workers/subdomain",
  "POST /d1/database",
  "POST /r2/buckets",
  "POST /queues",
  "POST /d1/database/", // Wrangler's first query creates the table of migrations or applies one.
  "PUT /workers/scripts/crier",
  "PATCH /workers/scripts/crier/secrets-bulk",
  "POST /workers/scripts/crier/subdomain",
  "PUT /workers/scripts/crier/schedules",
  "POST /queues/",
  "PUT /r2/buckets/crier-media/cors",
];

describe.concurrent("a deploy that is killed", () => {
  it.for(["drop before", "drop after"] as const)(
    "at any call (%s) is finished by the next one",
    async (does, context) => {
      const copy = await makeProject(context);
      const [standIn, undisturbed] = [await startCloud(context), await startCloud(context)];
      expect(await runDeploy(copy.root, undisturbed)).toMatchObject({ code: 0 });
      const struck: string[] = [];
      for (const call of WRITES) {
        const running = startDeploy(copy.root, standIn, []);
        standIn.faults.push({
          call,
          does,
          struck: () => {
            struck.push(call);
            running.kill();
          },
        });
        expect((await running.ended).code).not.toBe(0);
      }
      expect(struck).toEqual(WRITES);
      const last = await runDeploy(copy.root, standIn);
      expect(last).toMatchObject({ code: 0 });
      expect(summarize(standIn.account)).toEqual(summarize(undisturbed.account));
      standIn.calls.length = 0;
      expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
      expect(standIn.writes()).toEqual([]);
    },
  );
});

describe.concurrent("a call of a deploy that is refused or gets no answer", () => {
  /** All calls before wrangler runs, with the step that the message names. */
  const CALLS: [call: string, step: string, permission: string][] = [
    ["GET /accounts", "sign-in", "Account Settings, Read"],
    ["GET /workers/scripts/asked/deployments", "worker", "Workers Scripts, Edit"],
    ["GET /workers/subdomain", "address", "Workers Scripts, Edit"],
    ["PUT /workers/subdomain", "address", "Workers Scripts, Edit"],
    ["GET /d1/database/asked", "database", "D1, Edit"],
    ["POST /d1/database", "database", "D1, Edit"],
    ["GET /r2/buckets/asked-media", "bucket", "Workers R2 Storage, Edit"],
    ["POST /r2/buckets", "bucket", "Workers R2 Storage, Edit"],
    ["GET /queues", "queues", "Queues, Edit"],
    ["POST /queues", "queues", "Queues, Edit"],
    ["POST /d1/database/", "migrations", "D1, Edit"],
  ];
  /** The steps before wrangler, in this process. The name differs because other files deploy `crier` from this folder at the same time. */
  async function runDeploySteps(standIn: StandIn): Promise<Error> {
    const env = { CLOUDFLARE_API_BASE_URL: standIn.url, CLOUDFLARE_API_TOKEN: TOKEN };
    const { signal } = new AbortController();
    try {
      await deploy(readOptions(["--name", "asked"]), {
        signIn: () => signIn(env, signal),
        askAccountPlan: async () => null,
        print: () => {},
        signal,
      });
    } catch (error) {
      if (error instanceof DeployFailure) return error;
      throw error;
    }
    throw new Error("nothing stopped it");
  }
  const always = Number.POSITIVE_INFINITY;
  const refused = [
    { status: 403, says: "permission" },
    { status: 429, says: "Wait five minutes" },
    { status: 500, says: "cloudflarestatus.com" },
  ] as const;

  it.for(CALLS)(
    "%s: the message names the step, the refusal and the remedy",
    async ([call, step, permission], context) => {
      const { account } = await startCloud(context);
      for (const { status, says: remedy } of refused) {
        const standIn = await startCloud(context);
        standIn.faults.push({ call, does: { status }, times: always });
        const failure = await runDeploySteps(standIn);
        expect(failure).toMatchObject({
          message: expect.stringContaining(`Stopped at ${step}. Cloudflare answered ${status} to`),
          fix: expect.stringContaining(status === 403 ? `"Account, ${permission.replace("Account, ", "")}"` : remedy),
        });
        expect(failure.message).toContain("[code 10000]");
      }
      expect(account.workers.size).toBe(0);
    },
  );

  it.for(CALLS)("%s: a temporary error or a lost answer is retried by the same run", async ([call], context) => {
    for (const does of ["drop before", "drop after", { status: 429 }, { status: 500 }] as const) {
      const standIn = await startCloud(context);
      standIn.faults.push(
        { call, does, times: 1 },
        { call: "POST /d1/database/", does: { status: 403 }, times: always },
      );
      expect((await runDeploySteps(standIn)).message).toContain("Stopped at migrations");
      expect(standIn.account.queues).toHaveLength(3);
      expect(standIn.account.databases).toHaveLength(1);
    }
  });

  it.for<[string, number]>([
    ["POST /d1/database", 7502],
    ["POST /r2/buckets", 10004],
    ["POST /queues", 11009],
    ["PUT /workers/subdomain", 10031],
  ])("%s: reports a name that is taken by a resource that we cannot see", async ([call, code], context) => {
    const standIn = await startCloud(context);
    standIn.faults.push({ call, does: { status: 409, code, message: "already taken" } });
    expect((await runDeploySteps(standIn)).message).toContain(`already taken [code ${code}]`);
  });

  it("a wrong token: the message says where to create one", async (context) => {
    const standIn = await startCloud(context);
    const failed = await runDeploy(ROOT, standIn, [], { CLOUDFLARE_API_TOKEN: "another" });
    expect(failed.code).toBe(1);
    expect(failed.output).toContain("Stopped at sign-in.");
    expect(failed.output).toContain("https://dash.cloudflare.com/profile/api-tokens");
    expect(failed.output).toContain("Then run the command again");
  });

  it("refusals of wrangler: each is printed, and the next run finishes the deploy", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const undisturbed = await startCloud(context);
    expect(await runDeploy(copy.root, undisturbed)).toMatchObject({ code: 0 });
    const script = "PUT /workers/scripts/crier";
    const faults: [Fault, string | null][] = [
      [
        { call: "POST /d1/database/", containing: "CREATE TABLE users", does: { status: 403 } },
        'lacks the permission "Account, D1, Edit"',
      ],
      [
        { call: "POST /d1/database/", containing: "CREATE TABLE channels", does: { status: 500 }, times: always },
        "Stopped at migrations.",
      ],
      [{ call: "POST /d1/database/", containing: "CREATE TABLE media", does: "drop after" }, null],
      [
        { call: "PATCH /workers/scripts/crier/secrets-bulk", does: { status: 403 } },
        'lacks the permission "Account, Workers Scripts, Edit"',
      ],
      [{ call: script, containing: "PUBLISHER", does: { status: 429 }, times: always }, "Stopped at upload."],
      [{ call: script, containing: "PUBLISHER", does: "drop after" }, null],
      [{ call: "POST /queues/", does: { status: 403 }, times: always }, 'lacks the permission "Account, Queues, Edit"'],
      [{ call: "PUT /workers/scripts/crier/schedules", does: { status: 500 }, times: always }, "Stopped at upload."],
    ];
    for (const [fault, expected] of faults) {
      standIn.faults.splice(0, always, fault);
      const run = await runDeploy(copy.root, standIn);
      // Wrangler itself retries some temporary errors.
      if (expected !== null) expect(run).toMatchObject({ code: 1, output: expect.stringContaining(expected) });
    }
    standIn.faults.length = 0;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    expect(summarize(standIn.account)).toEqual(summarize(undisturbed.account));
  });
});

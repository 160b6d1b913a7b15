// `npm run deploy` on an account with Workers Free that has never enabled R2, against the stand-in for Cloudflare.
import { expect, it } from "vitest";
import { readSettings } from "../../../src/settings.ts";
import {
  makeProject,
  readDeployedSecrets,
  readDeployedSettings,
  startCloud,
} from "../../support/cloudflare/installed.ts";
import { runDeploy, startScript } from "../../support/cloudflare/project.ts";

it("deploys on Workers Free without a bucket, remembers both, and adds the bucket on request", async (context) => {
  const copy = await makeProject(context);
  const standIn = await startCloud(context);
  const { account } = standIn;
  account.plan = "free";
  account.hasR2 = false;
  const withoutFlags = await runDeploy(copy.root, standIn);
  expect(withoutFlags).toMatchObject({ code: 1, output: expect.stringContaining("npm run deploy -- --no-media") });

  const first = await runDeploy(copy.root, standIn, ["--account-plan", "free", "--no-media"]);
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining("npm run deploy -- --media") });
  const version = account.getDeployed("crier");
  expect(version?.metadata.limits).toBeUndefined();
  expect(version?.bindings.filter(({ type }) => type === "r2_bucket")).toEqual([]);
  const settings = readSettings({ ...readDeployedSettings(account), ...readDeployedSecrets(account) });
  expect(settings).toMatchObject({ accountPlan: "free", bucket: null });

  standIn.calls.length = 0;
  expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
  expect(standIn.writes()).toEqual([]);

  account.hasR2 = true;
  expect(await runDeploy(copy.root, standIn, ["--media"])).toMatchObject({ code: 0 });
  expect([...account.buckets.keys()]).toEqual(["crier-media"]);
  expect(readDeployedSettings(account)).toMatchObject({ ACCOUNT_PLAN: "free", S3_BUCKET: "crier-media" });
  expect(account.getDeployed("crier")?.bindings.filter(({ type }) => type === "r2_bucket")).toHaveLength(1);
});

it("deploys without the Images binding on request, remembers it, and adds the binding on request", async (context) => {
  const copy = await makeProject(context);
  const standIn = await startCloud(context);
  const { account } = standIn;
  const bound = () =>
    account.getDeployed("crier")?.bindings.flatMap(({ name, type }) => (type === "images" ? [name] : []));
  const doctor = async () => (await startScript(copy.root, standIn, ["scripts/doctor.ts"]).ended).output;
  const without = await runDeploy(copy.root, standIn, ["--no-images"]);
  expect(without).toMatchObject({ code: 0, output: expect.stringContaining("npm run deploy -- --images") });
  expect(bound()).toEqual([]);
  expect(await doctor()).toMatch(/^! images .*503 images_not_configured.*\n +→ npm run deploy -- --images$/m);
  standIn.calls.length = 0;
  expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
  expect(standIn.writes()).toEqual([]);
  expect(await runDeploy(copy.root, standIn, ["--images"])).toMatchObject({ code: 0 });
  expect(bound()).toEqual(["IMAGES"]);
  expect(await doctor()).toMatch(/^✓ images +The Images binding is present/m);
});

it("stops before the deployment answers if the account may not use Images, and then deploys without them", async (context) => {
  const copy = await makeProject(context);
  const standIn = await startCloud(context);
  const { account } = standIn;
  account.hasImages = false;
  const refused = await runDeploy(copy.root, standIn);
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("Stopped at upload.") });
  expect(refused.output).toContain("binding IMAGES of type images is not available to this account");
  expect(refused.output).toContain("npm run deploy -- --no-images");
  expect(account.getDeployed("crier")?.bindings.some(({ type }) => type === "durable_object_namespace") ?? false).toBe(
    false,
  );
  expect(await runDeploy(copy.root, standIn, ["--no-images"])).toMatchObject({ code: 0 });
  const answering = account.getDeployed("crier");
  expect(answering?.bindings.some(({ type }) => type === "durable_object_namespace")).toBe(true);

  // A running installation keeps running if its operator requests a product that the account does not have.
  expect(await runDeploy(copy.root, standIn, ["--images"])).toMatchObject({ code: 1 });
  expect(account.getDeployed("crier")).toBe(answering);
  expect(await runDeploy(copy.root, standIn, ["--no-images"])).toMatchObject({ code: 0 });
});

it("prints the command to use if the account is on Workers Free and the arguments do not say so", async (context) => {
  const copy = await makeProject(context);
  const standIn = await startCloud(context);
  standIn.account.plan = "free";
  const deployed = await runDeploy(copy.root, standIn);
  const refused = { code: 1, output: expect.stringContaining("npm run deploy -- --account-plan free") };
  expect(deployed).toMatchObject(refused);
  expect(await runDeploy(copy.root, standIn, ["--account-plan", "free"])).toMatchObject({ code: 0 });
});

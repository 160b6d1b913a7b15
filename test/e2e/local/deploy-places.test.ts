// Where an installation stores data and runs, as requested from `npm run deploy`, against the stand-in for Cloudflare.
import { describe, expect, it } from "vitest";
import { makeProject, readDeployedSettings, startCloud } from "../../support/cloudflare/installed.ts";
import { runDeploy } from "../../support/cloudflare/project.ts";

describe.concurrent("an installation", () => {
  it("runs where its database is written, and later deploys keep the location", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    const first = await runDeploy(copy.root, standIn, ["--database-location", "weur"]);
    expect(first.code).toBe(0);
    expect(first.output).not.toContain("WARNING");
    expect(account.databases.map(({ location }) => location)).toEqual(["weur"]);
    expect(account.getDeployed("crier")?.metadata.placement).toEqual({ mode: "targeted", region: "aws:eu-central-1" });
    expect(readDeployedSettings(account)).toMatchObject({ LOCATION: "weur" });
    standIn.calls.length = 0;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    expect(standIn.writes()).toEqual([]);

    const moved = await runDeploy(copy.root, standIn, ["--database-location", "oc"]);
    expect(moved.output).toContain("WARNING: crier runs in Europe, the Worker and its objects in Oceania.");
    expect(account.getDeployed("crier")?.metadata.placement).toEqual({
      mode: "targeted",
      region: "aws:ap-southeast-2",
    });
  });

  it("stores everything in its jurisdiction, and cannot leave it", async (context) => {
    const copy = await makeProject(context);
    const standIn = await startCloud(context);
    const { account } = standIn;
    expect(await runDeploy(copy.root, standIn, ["--jurisdiction", "eu"])).toMatchObject({ code: 0 });
    expect(account.databases.map(({ jurisdiction, location }) => [jurisdiction, location])).toEqual([
      ["eu", undefined],
    ]);
    expect(account.queues.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu", "eu"]);
    expect(account.buckets.get("crier-media")).toMatchObject({ jurisdiction: "eu", rules: [{ id: "crier-uploads" }] });
    const version = account.getDeployed("crier");
    expect(version?.bindings).toContainEqual(
      expect.objectContaining({ type: "r2_bucket", bucket_name: "crier-media", jurisdiction: "eu" }),
    );
    expect(version?.metadata.placement).toEqual({ mode: "targeted", region: "aws:eu-central-1" });
    expect(readDeployedSettings(account)).toMatchObject({
      JURISDICTION: "eu",
      S3_ENDPOINT: `https://${account.id}.eu.r2.cloudflarestorage.com`,
    });
    standIn.calls.length = 0;
    expect(await runDeploy(copy.root, standIn)).toMatchObject({ code: 0 });
    for (const flags of [
      ["--jurisdiction", "us"],
      ["--database-location", "weur"],
    ]) {
      const refused = await runDeploy(copy.root, standIn, flags);
      expect(refused).toMatchObject({
        code: 1,
        output: expect.stringContaining("Stopped at place. This installation"),
      });
    }
    expect(standIn.writes()).toEqual([]);
  });
});

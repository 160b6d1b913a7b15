import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DeployFailure } from "../../scripts/deploy/failure.ts";
import { choosePlace, findDistant, findRegion } from "../../scripts/deploy/place.ts";
import { NOTHING } from "../../scripts/deploy/worker.ts";
import { ROOT } from "../support/documents/markdown.ts";

it("only getObject, which knows the place of objects, reaches them by name", () => {
  const files = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) =>
    /\.(?:getByName|idFromName|newUniqueId)\(/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  expect(files).toEqual(["src/env.ts"]);
});

const makeDeployed = (vars: Record<string, string>) => ({
  ...NOTHING,
  isCrier: true,
  vars: new Map(Object.entries(vars)),
});

it("an installation keeps the place in which it was created", () => {
  expect(choosePlace({ location: "weur" }, NOTHING)).toEqual({ location: "weur", jurisdiction: null });
  expect(choosePlace({}, makeDeployed({ LOCATION: "oc" }))).toEqual({ location: "oc", jurisdiction: null });
  expect(choosePlace({ jurisdiction: "eu" }, NOTHING)).toEqual({ location: null, jurisdiction: "eu" });
  expect(choosePlace({ jurisdiction: "eu" }, makeDeployed({ JURISDICTION: "eu" }))).toMatchObject({
    jurisdiction: "eu",
  });
  for (const [options, vars] of [
    [{ jurisdiction: "eu" }, {}],
    [{ jurisdiction: "us" }, { JURISDICTION: "eu" }],
    [{ location: "weur" }, { JURISDICTION: "eu" }],
  ] as const) {
    expect(() => choosePlace(options, makeDeployed(vars))).toThrow(DeployFailure);
  }
});

it("the Worker runs in a region of the chosen place, or near its database if none is chosen", () => {
  expect(findRegion({ location: "weur", jurisdiction: null })).toBe("aws:eu-central-1");
  expect(findRegion({ location: null, jurisdiction: "us" })).toBe("aws:us-east-1");
  expect(findRegion({ location: null, jurisdiction: null })).toBeNull();
});

it("warns of a database on another continent", () => {
  const databases = [
    { name: "crier", region: "weur" },
    { name: "crier_1", region: "enam" },
    { name: "crier_2", region: undefined },
  ];
  const findWarnings = (place: Parameters<typeof findDistant>[0]) => findDistant(place, databases);
  expect(findWarnings({ location: "eeur", jurisdiction: null })).toEqual([
    expect.stringContaining("crier_1 runs in North America, the Worker and its objects in Europe"),
  ]);
  expect(findWarnings({ location: null, jurisdiction: "us" })).toEqual([
    expect.stringContaining("crier runs in Europe, the Worker and its objects in North America"),
  ]);
  expect(findWarnings({ location: null, jurisdiction: null })).toEqual([
    expect.stringContaining("crier_1 runs in North America, the first database in Europe"),
  ]);
});

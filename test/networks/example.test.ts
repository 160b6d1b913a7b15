// The README's worked example of a network is a network: it compiles, and passes the suite that every network passes.
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startSimulators } from "../../simulators/server.ts";
import { examplenet } from "./example/examplenet/index.ts";
import * as simulator from "./example/simulator.ts";
import { everyNetwork } from "./suite.ts";

everyNetwork([examplenet], () => startSimulators({ port: 0, others: [simulator] }));

it("the README shows it as it is", () => {
  const root = `${import.meta.dirname}/../..`;
  const readme = readFileSync(`${root}/README.md`, "utf8");
  const names = globSync("*.ts", { cwd: `${root}/test/networks/example/examplenet` });
  expect(names).toContain("index.ts");
  for (const name of names) {
    const code = readFileSync(`${root}/test/networks/example/examplenet/${name}`, "utf8");
    const moved = code
      .replaceAll("../../../../src/networks/", "../")
      .replaceAll("../../../../src/domain/", "../../domain/");
    expect(readme, name).toContain(`\`${name}\`:\n\n\`\`\`ts\n${moved}\`\`\``);
  }
});

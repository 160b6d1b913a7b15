// `npm run move-workspace -- ws_... --to crier_1`: moves a workspace to another database of the deployment while it
// publishes (docs/operations.md). Run it again to resume an interrupted move.
import { setTimeout } from "node:timers/promises";
import { endWithUsage, readArguments } from "./arguments.ts";
import { signIn } from "./deploy/account.ts";
import { DeployFailure } from "./deploy/failure.ts";
import { databaseName, readInstallation } from "./deploy/installation.ts";
import { openDatabaseByName } from "./deploy/resources.ts";
import { readDeployed } from "./deploy/worker.ts";
import { confirmMove, MoveRefused, moveWorkspace } from "./move/move.ts";

/** Longer than a call keeps reading from a known location. A long export looks up the location for each page. */
const READS_END_AFTER_MS = 60_000;

const USAGE = `npm run move-workspace -- ws_... --to crier_1      moves a workspace and keeps its old rows
npm run move-workspace -- ws_... --confirm         deletes the old rows
  --name NAME   the installation with this name`;

const { values, positionals } = readArguments(
  {
    allowPositionals: true,
    options: { to: { type: "string" }, confirm: { type: "boolean", default: false }, name: { type: "string" } },
  },
  USAGE,
);
const [workspace, ...extraArguments] = positionals;
if (workspace === undefined || extraArguments.length > 0) endWithUsage("Name the workspace.", USAGE);
if ((values.to === undefined) === !values.confirm) endWithUsage("Use --to or --confirm.", USAGE);

try {
  const { cloudflare } = await signIn(process.env, new AbortController().signal);
  const installation = readInstallation(values.name, process.env);
  const { databases: count } = await readDeployed(cloudflare, installation);
  const names = Array.from({ length: count }, (_, home) => databaseName(installation.database, home));
  const databases = await Promise.all(names.map((name) => openDatabaseByName(cloudflare, name)));
  const tell = (text: string) => console.log(`${workspace}  ${text}`);
  if (values.to === undefined) await confirmMove({ workspace, databases, tell });
  else {
    const target = names.indexOf(values.to);
    if (target === -1) endWithUsage(`There is no database ${values.to}. The databases are ${names.join(", ")}.`, USAGE);
    const letReadsEnd = () => setTimeout(READS_END_AFTER_MS);
    await moveWorkspace({ workspace, databases, target, tell, letReadsEnd });
  }
} catch (error) {
  if (!(error instanceof MoveRefused) && !(error instanceof DeployFailure)) throw error;
  console.error(error.message);
  if (error instanceof DeployFailure) console.error(error.fix);
  process.exit(1);
}

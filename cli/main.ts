#!/usr/bin/env node
// The entry point: runs a command, reports its failure, and sets the exit code.

import type { Shell } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, Failure } from "./failure.ts";
import { writeHelp } from "./help.ts";
import { writeFailure } from "./output/errors.ts";
import { outputTo } from "./output/terminal.ts";
import { follow, type Route, route } from "./router.ts";
import { VERSION } from "./version.ts";

// The reader of the output has closed the pipe (`crier events | head`), which is not an error. A closed progress output
// stops nothing.
process.stdout.on("error", (error) => {
  process.exit("code" in error && error.code === "EPIPE" ? EXIT.done : EXIT.unexpected);
});
process.stderr.on("error", () => {});

/** The maximum time for cleanup after Ctrl-C. */
const CLEANUP_MAX_MS = 8_000;
const stop = new AbortController();
for (const [signal, code] of [
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  process.on(signal, () => {
    // The second Ctrl-C ends the process at once.
    if (stop.signal.aborted) process.exit(code);
    process.exitCode = code;
    stop.abort();
    setTimeout(() => process.exit(code), CLEANUP_MAX_MS).unref();
  });
}

const shell: Shell = {
  env: process.env,
  stdin: process.stdin,
  out: outputTo(process.stdout, process.env),
  err: outputTo(process.stderr, process.env),
  signal: stop.signal,
};

async function main(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
    shell.out.line(VERSION);
    return EXIT.done;
  }
  if (argv[0] === "help") return main([...argv.slice(1), "--help"]);
  const matchedRoute: Route = route(COMMANDS, argv);
  const end = matchedRoute.args.indexOf("--");
  const isHelp = matchedRoute.args
    .slice(0, end === -1 ? undefined : end)
    .some((word) => word === "--help" || word === "-h");
  if (isHelp) writeHelp(shell.out, matchedRoute.path, COMMANDS);
  else if (matchedRoute.path.length === 0 && matchedRoute.args.length === 0) {
    writeHelp(shell.err, [], COMMANDS);
    return EXIT.usage;
  } else return follow(matchedRoute, shell);
  return EXIT.done;
}

try {
  const code = await main(process.argv.slice(2));
  process.exitCode ??= code;
} catch (error) {
  writeFailure(error, shell, process.argv.includes("--json"));
  process.exitCode ??= error instanceof Failure ? error.exitCode : EXIT.unexpected;
}
// Exits without waiting for keep-alive sockets or open pipes.
process.stdout.write("", () => process.exit());

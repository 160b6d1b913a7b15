// The subcommand that deletes a thing by its id.
import type { Client } from "./api/client.ts";
import { type AnyCommand, command, type Positional } from "./command.ts";
import { oneLine } from "./output/terminal.ts";
import { COMMON, signedIn, writeJson } from "./session.ts";

interface Deletion {
  summary: string;
  /** The thing's id. */
  positional: Positional;
  examples: [string, string][];
  /** Deletes the thing with this id. */
  remove(client: Client, id: string): Promise<unknown>;
}

/** `delete ID`: deletes the thing and prints its id. */
export const makeDeletion = ({ summary, positional, examples, remove }: Deletion): AnyCommand =>
  command({
    name: "delete",
    summary,
    positionals: [positional],
    flags: COMMON,
    examples,
    async run(args, shell) {
      const [id = ""] = args.positionals;
      await remove(await signedIn(args, shell), id);
      if (args.has("json")) writeJson(shell.out, { deleted: id });
      else shell.out.line(`Deleted ${oneLine(id)}.`);
      return 0;
    },
  });

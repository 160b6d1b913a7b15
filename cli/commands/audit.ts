import { AUDIT_ACT_NAMES } from "../../src/domain/audit.ts";
import type { Answer } from "../api/client.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { localText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { INSTANT_FORMS, readInstant } from "../output/time.ts";
import { asPerson, OF_PERSON } from "../person.ts";
import { COMMON, writeJson } from "../session.ts";

type Entry = Answer<"audit.list">["audit"][number];

export const audit = command({
  name: "audit",
  summary: "Show the audit log: who did what, and from where.",
  details: "Requires an owner of the workspace: sign in when asked, or set CRIER_SESSION to a session token.",
  flags: {
    act: { type: "string", value: "ACT", options: AUDIT_ACT_NAMES, description: "Filter by type." },
    actor: {
      type: "string",
      value: "ACTOR",
      description: "Filter by user, key or application: an id from --json.",
    },
    target: { type: "string", value: "TARGET", description: "Filter by target: an id from --json." },
    from: { type: "string", value: "TIME", description: `Start time: ${INSTANT_FORMS}.` },
    to: { type: "string", value: "TIME", description: "End time." },
    limit: { type: "string", value: "N", description: "Maximum number (default 50)." },
    cursor: { type: "string", value: "CURSOR", description: "Page to continue at: `next` from --json." },
    csv: { type: "boolean", description: "Print everything as CSV with formulas escaped." },
    ...OF_PERSON,
    ...COMMON,
  },
  examples: [
    ["crier audit --act key.revealed", "List who has seen the workspace key."],
    ["crier audit --csv --from 2026-11-01 > audit.csv", "Save a month for a spreadsheet."],
  ],
  async run(args, shell) {
    const { out } = shell;
    return asPerson(args, shell, async ({ client }) => {
      const { timezone } = (await client.call("workspaces.current")).body;
      const readTime = (flag: "from" | "to") => {
        const text = args.get(flag);
        const instant = text === undefined ? undefined : readInstant(text, client.now(), timezone);
        if (instant === null) throw usage(`--${flag} is not a valid time.`, `use ${INSTANT_FORMS}`);
        return instant;
      };
      const filter = {
        act: args.get("act"),
        actor: args.get("actor"),
        target: args.get("target"),
        from: readTime("from"),
        to: readTime("to"),
      };
      if (args.has("csv")) {
        for await (const piece of client.stream("audit.csv", { query: filter })) out.write(piece);
        return 0;
      }
      const query = { ...filter, limit: args.get("limit"), cursor: args.get("cursor") };
      const { body } = await client.call("audit.list", { query });
      if (args.has("json")) writeJson(out, body);
      else if (body.audit.length === 0) out.line("There are no entries.");
      else {
        writeTable<Entry>(out, body.audit, [
          { title: timezone, of: ({ at }) => localText(Date.parse(at), timezone).slice(4) },
          { title: "who", of: ({ actor }) => oneLine(actor.name), least: 8 },
          { title: "act", of: ({ act }) => act },
          { title: "to", of: ({ target }) => oneLine(target.name ?? target.id ?? "") },
          { title: "details", of: ({ details }) => oneLine(Object.values(details).join(", ")) },
          { title: "from", of: ({ address }) => address ?? "" },
          { title: "with", of: ({ client }) => oneLine(client ?? "") },
        ]);
      }
      return 0;
    });
  },
});

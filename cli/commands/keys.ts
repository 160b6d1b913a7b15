import { formatUsd } from "../../src/domain/money.ts";
import { type Answer, allPages } from "../api/client.ts";
import { allChannels, CHANNEL_FLAG, findChannel } from "../channels.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { INSTANT_FORMS, readInstant } from "../output/time.ts";
import { asPerson, OF_PERSON } from "../person.ts";
import { COMMON, writeJson } from "../session.ts";

const SCOPES = ["read", "draft", "publish", "manage"] as const;
const FLAGS = { ...OF_PERSON, ...COMMON };
const SESSION = "Requires an owner of the workspace: sign in when asked, or set CRIER_SESSION to a session token.";

const create = command({
  name: "create",
  summary: "Create a named key, limited to scopes and channels.",
  details: `The key is printed once, on stdout, and cannot be shown again. ${SESSION}`,
  positionals: [{ name: "name", description: "Purpose of the key.", required: true }],
  flags: {
    scope: {
      type: "string",
      value: "SCOPE",
      multiple: true,
      options: SCOPES,
      description: "Scope: read, draft, publish or manage. No scope includes another. May be repeated.",
    },
    channel: {
      ...CHANNEL_FLAG,
      description: "Channels it can use: ids, handles or platforms. Default: all.",
    },
    expires: {
      type: "string",
      value: "TIME",
      description: `Expiry, in the workspace's time zone: ${INSTANT_FORMS}. Default: never.`,
    },
    budget: {
      type: "string",
      value: "USD",
      description: "Monthly budget for networks that charge, in US dollars. Default: no limit.",
    },
    ...FLAGS,
  },
  examples: [["crier keys create assistant --scope read --scope draft", "It can read and draft, but not publish."]],
  async run(args, shell) {
    const { out, err } = shell;
    const [name = ""] = args.positionals;
    const scopes = SCOPES.filter((scope) => args.getAll("scope").includes(scope));
    if (scopes.length === 0) throw usage("--scope is missing.", `one or more of ${SCOPES.join(", ")}`);
    return asPerson(args, shell, async ({ client, workspace }) => {
      const channelNames = args.getAll("channel");
      const workspaceChannels = channelNames.length === 0 ? [] : await allChannels(client);
      const channels =
        channelNames.length === 0
          ? null
          : channelNames.map((channelName) => findChannel(channelName, workspaceChannels).id);
      const expires = args.get("expires");
      const expires_at = expires === undefined ? null : await parseExpiry(expires);
      const { body } = await client.call("keys.create", {
        params: { id: workspace },
        body: { name, scopes, channels, expires_at, budget_usd: budgetIn(args.get("budget")) },
      });
      if (args.has("json")) writeJson(out, body);
      else out.line(body.key);
      err.line(`Created ${oneLine(body.name)} (${body.id}). Save the key now: it cannot be shown again.`);
      return 0;

      async function parseExpiry(text: string): Promise<string> {
        const { timezone } = (await client.call("workspaces.current")).body;
        const read = readInstant(text, client.now(), timezone);
        if (read === null) throw usage("--expires is not a valid time.", `use ${INSTANT_FORMS}`);
        return read;
      }
    });
  },
});

/** Dollars as typed; null: absent, or `none`. */
function budgetIn(text: string | undefined): number | null {
  if (text === undefined || text === "none") return null;
  const usd = /^\$?(\d+(?:\.\d{1,6})?)$/.exec(text.trim())?.[1];
  if (usd === undefined) throw usage("The budget is not an amount of dollars.", "write it like 5 or 2.50");
  return Number(usd);
}

const budget = command({
  name: "budget",
  summary: "Set the monthly budget of a named key.",
  details: SESSION,
  positionals: [
    { name: "key", description: "Id of the key: key_01…", required: true },
    { name: "usd", description: "US dollars, or none for no limit.", required: true },
  ],
  flags: FLAGS,
  examples: [["crier keys budget key_01… 5", "At most $5 a month, including what it has scheduled this month."]],
  async run(args, shell) {
    const [key = "", text] = args.positionals;
    const budget_usd = budgetIn(text);
    return asPerson(args, shell, async ({ client, workspace }) => {
      const { body } = await client.call("keys.change", { params: { id: workspace, key }, body: { budget_usd } });
      if (args.has("json")) writeJson(shell.out, body);
      else shell.out.line(`${oneLine(body.name)} can schedule posts for ${budgetText(body.budget_usd)}.`);
      return 0;
    });
  },
});

const budgetText = (usd: number | null) => (usd === null ? "any amount" : `${formatUsd(usd)} a month`);

const revoke = command({
  name: "revoke",
  summary: "Revoke a named key.",
  details: `The key stops working with its next request. ${SESSION}`,
  positionals: [{ name: "key", description: "Id of the key: key_01…", required: true }],
  flags: FLAGS,
  examples: [["crier keys revoke key_01…", "crier keys lists them."]],
  async run(args, shell) {
    const [key = ""] = args.positionals;
    return asPerson(args, shell, async ({ client, workspace }) => {
      await client.call("keys.revoke", { params: { id: workspace, key } });
      if (args.has("json")) writeJson(shell.out, { id: key, revoked: true });
      else shell.out.line(`Revoked: ${oneLine(key)}.`);
      return 0;
    });
  },
});

export const keys = command({
  name: "keys",
  summary: "List the workspace's named keys. keys create, keys budget and keys revoke change them.",
  details: SESSION,
  flags: FLAGS,
  commands: [create, budget, revoke],
  examples: [["crier keys", "List keys with their scopes and last use."]],
  async run(args, shell) {
    const { out } = shell;
    return asPerson(args, shell, async ({ client, workspace }) => {
      const { items, more } = await allPages(async (cursor) => {
        const { body } = await client.call("keys.list", { params: { id: workspace }, query: { limit: "200", cursor } });
        return { items: body.keys, next: body.next };
      });
      if (args.has("json")) writeJson(out, { keys: items, more });
      else if (items.length === 0) out.line("There are no named keys: crier keys create NAME --scope read");
      else {
        const when = (timestamp: string | null) =>
          timestamp === null ? "never" : relativeText(Date.parse(timestamp), client.now());
        writeTable<Answer<"keys.list">["keys"][number]>(out, items, [
          { title: "name", of: ({ name }) => oneLine(name), least: 10 },
          { title: "begins", of: ({ start }) => `${start}…` },
          { title: "scopes", of: ({ scopes }) => scopes.join(", ") },
          { title: "channels", of: ({ channels }) => (channels === null ? "all" : `${channels.length}`) },
          {
            title: "budget",
            of: ({ budget_usd: usd }) => (usd === null ? "" : formatUsd(usd)),
            align: "right",
          },
          { title: "used", of: ({ last_used_at: lastUsedAt }) => when(lastUsedAt) },
          { title: "ends", of: ({ expires_at: expiresAt }) => when(expiresAt) },
          { title: "id", of: ({ id }) => id },
        ]);
      }
      return 0;
    });
  },
});

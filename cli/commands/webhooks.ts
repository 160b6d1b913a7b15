import { EVENT_NAMES } from "../../src/domain/event.ts";
import { allPages } from "../api/client.ts";
import { command } from "../command.ts";
import { makeDeletion } from "../deletion.ts";
import { EXIT, usage } from "../failure.ts";
import { relativeText } from "../output/format.ts";
import { writeTable } from "../output/table.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, signedIn, warn, writeJson } from "../session.ts";

const WEBHOOK = { name: "webhook", description: "Id of the webhook: wh_01…", required: true } as const;
const EVENT_FLAG = {
  type: "string",
  value: "EVENT",
  multiple: true,
  options: EVENT_NAMES,
} as const;

const add = command({
  name: "add",
  summary: "Register an address that is called for each event.",
  details: "The secret that signs the calls is printed once, on stdout, and cannot be shown again.",
  positionals: [{ name: "url", description: "A public https address.", required: true }],
  flags: {
    event: { ...EVENT_FLAG, description: "Event to send. May be repeated. Default: what was sent and what was not." },
    ...COMMON,
  },
  examples: [["crier webhooks add https://hooks.example.com/crier --event delivery.failed", "Only failures."]],
  async run(args, shell) {
    const { out, err } = shell;
    const [url = ""] = args.positionals;
    const events = readEvents(args.getAll("event"));
    const client = await signedIn(args, shell);
    const { body } = await client.call("webhooks.create", { body: { url, ...events } });
    for (const { message } of body.warnings) warn(err, message);
    if (args.has("json")) writeJson(out, body);
    else out.line(body.secret);
    err.line(`Added ${oneLine(body.url)} (${body.id}). Save the secret now: it cannot be shown again.`);
    return 0;
  },
});

const change = command({
  name: "change",
  summary: "Change a webhook's address or events. Its secret stays.",
  positionals: [WEBHOOK],
  flags: {
    address: { type: "string", value: "ADDRESS", description: "New public https address." },
    event: { ...EVENT_FLAG, description: "Event to send. Replaces all events. May be repeated." },
    ...COMMON,
  },
  examples: [["crier webhooks change wh_01… --address https://hooks.example.net/crier", "To another host."]],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const url = args.get("address");
    const body = { ...(url === undefined ? {} : { url }), ...readEvents(args.getAll("event")) };
    if (Object.keys(body).length === 0) throw usage("There is nothing to change.", "use --address or --event");
    const client = await signedIn(args, shell);
    const { body: webhook } = await client.call("webhooks.change", { params: { id }, body });
    for (const { message } of webhook.warnings) warn(shell.err, message);
    if (args.has("json")) writeJson(shell.out, webhook);
    else shell.out.line(`Changed ${oneLine(webhook.url)} (${webhook.id}).`);
    return 0;
  },
});

const test = command({
  name: "test",
  summary: "Send a webhook a test event now.",
  details: "Exit code 7: it was not accepted.",
  positionals: [WEBHOOK],
  flags: COMMON,
  examples: [["crier webhooks test wh_01…", "A disabled webhook that accepts it is enabled again."]],
  async run(args, shell) {
    const [id = ""] = args.positionals;
    const client = await signedIn(args, shell);
    const { body } = await client.call("webhooks.test", { params: { id } });
    const { outcome, response_code: code, ms } = body;
    if (args.has("json")) writeJson(shell.out, body);
    else shell.out.line(`${outcome}: ${code === null ? "no answer" : `status ${code}`} after ${ms} ms.`);
    return outcome === "delivered" ? EXIT.done : EXIT.deliveryFailed;
  },
});

const remove = makeDeletion({
  summary: "Delete a webhook. It receives no more events.",
  positional: WEBHOOK,
  examples: [["crier webhooks delete wh_01…", "crier webhooks lists them."]],
  remove: (client, id) => client.call("webhooks.remove", { params: { id } }),
});

export const webhooks = command({
  name: "webhooks",
  summary: "List the addresses that are called for events.",
  flags: COMMON,
  commands: [add, change, test, remove],
  examples: [["crier webhooks", "List the webhooks, newest first."]],
  async run(args, shell) {
    const { out } = shell;
    const client = await signedIn(args, shell);
    const { items } = await allPages(async (cursor) => {
      const { body } = await client.call("webhooks.list", { query: { limit: "200", cursor } });
      return { items: body.webhooks, next: body.next };
    });
    if (args.has("json")) writeJson(out, { webhooks: items, next: null });
    else if (items.length === 0) out.line("There are no webhooks. Add one: crier webhooks add ADDRESS");
    else {
      writeTable(out, items, [
        { title: "address", of: ({ url }) => oneLine(url), least: 20 },
        { title: "state", of: ({ state, disabled_reason: reason }) => reason ?? state },
        {
          title: "failing",
          of: ({ failing_since: since }) => (since === null ? "" : relativeText(Date.parse(since), client.now())),
        },
        { title: "events", of: ({ events }) => events.join(", "), least: 16 },
        { title: "id", of: ({ id }) => id },
      ]);
    }
    return 0;
  },
});

/** The events typed; none: the service's default, or the events as they are. */
function readEvents(typed: string[]) {
  const events = EVENT_NAMES.filter((name) => typed.includes(name));
  return events.length === 0 ? {} : { events };
}

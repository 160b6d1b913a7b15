// The MCP server of one call or one session: the tools and guides, on top of the operations that REST calls too.
import { McpServer, type ServerContext, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { operations } from "../contract/index.ts";
import { HOUR_MS, MINUTE_MS } from "../domain/limits.ts";
import { networks } from "../networks/index.ts";
import type { WorkspaceCaller } from "../operations/caller.ts";
import { handlers } from "../operations/index.ts";
import type { Choices } from "./channel-choice.ts";
import type { CheckTokens } from "./check-token.ts";
import { GUIDES } from "./guidance.ts";
import { instructionsFor, toolsFor } from "./narrow-key.ts";
import { type Call, perform } from "./perform.ts";
import type { ObjectSchema } from "./tool-schema.ts";

/** The interface that a server needs from its connection. */
export interface Surroundings {
  tokens(): CheckTokens;
  /** The call that a handler runs in. */
  callOf(server: ServerContext): Call;
  /** The channels that tools may name, as of the last read. */
  choices(): Choices;
  /** The caller that the server belongs to. */
  caller(): WorkspaceCaller;
  /** Whether to notify the client that the tools have changed. The server calls this before it sends a tool's answer. */
  isOutdated(): Promise<boolean>;
}

/** The rules change only with a deployment. The tools change whenever a channel is connected or disconnected. */
const CACHE = {
  "tools/list": { ttlMs: 0, cacheScope: "private" },
  "resources/list": { ttlMs: HOUR_MS, cacheScope: "public" },
  "resources/read": { ttlMs: 5 * MINUTE_MS, cacheScope: "public" },
  "server/discover": { ttlMs: 5 * MINUTE_MS, cacheScope: "private" },
} as const;

export function buildServer(version: string, around: Surroundings): McpServer {
  const server = new McpServer(
    { name: "crier", title: "Crier", version },
    {
      instructions: instructionsFor(around.caller()),
      cacheHints: CACHE,
      capabilities: { tools: { listChanged: true } },
    },
  );
  for (const tool of toolsFor(around.caller())) {
    const { name, title, description, hints } = tool;
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: shown(() => tool.input(around.choices())),
        outputSchema: shown(() => tool.output),
        annotations: { title, ...hints },
      },
      async (args, context) => {
        const result = await perform(tool, args, around.callOf(context), around.tokens());
        if (await around.isOutdated()) await context.mcpReq.notify({ method: "notifications/tools/list_changed" });
        return result;
      },
    );
  }
  registerResources(server, around);
  return server;
}

/** A schema that is shown as it is and rejects nothing. The operation validates, so that its refusals match REST. */
function shown(schema: () => ObjectSchema): StandardSchemaWithJSON<unknown, unknown> {
  return {
    "~standard": {
      version: 1,
      vendor: "crier",
      validate: (value) => ({ value }),
      jsonSchema: { input: schema, output: schema },
    },
  };
}

function registerResources(server: McpServer, around: Surroundings): void {
  for (const { uri, name, title, description, text } of GUIDES) {
    const mimeType = "text/markdown";
    server.registerResource(name, uri, { title, description, mimeType }, async () => ({
      contents: [{ uri, mimeType, text }],
    }));
  }
  for (const { rule } of networks) {
    const name = rule.platform;
    const uri = `crier://platforms/${name}`;
    const mimeType = "application/json";
    const description = "The rules of this network, against which posts are validated.";
    server.registerResource(
      name,
      uri,
      { title: `The rules of ${name}`, description, mimeType },
      async (_uri, context) => {
        const { ctx, caller } = around.callOf(context);
        const raw = { params: {}, query: {}, body: undefined, idempotencyKey: null };
        const reply = await handlers["platforms.list"].invoke(ctx, caller, raw);
        const { platforms } = operations["platforms.list"].result.parse(reply.body);
        const printed = platforms.find((platformRule) => platformRule.platform === name);
        return { contents: [{ uri, mimeType, text: JSON.stringify(printed, null, 1) }] };
      },
    );
  }
}

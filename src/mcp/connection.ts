// The MCP connection of one credential: a Durable Object that holds its session and answers its calls.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";

export class McpConnection extends DurableObject<Env> {
  /** Ends the connection: its credential is no longer good. */
  async end(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}

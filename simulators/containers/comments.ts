// Comments under a post: writing and listing them, and turning them off.
import type { Hono } from "hono";
import { findMarks } from "../marks.ts";
import type { SimulatorEnv, World } from "../simulator.ts";
import type { Account, Post } from "./accounts.ts";
import { type Call, type Fields, invalidParameter, newId, notFound, parseBoolean, readFields } from "./graph.ts";
import type { Network } from "./network.ts";
import type { Tokens } from "./tokens.ts";

interface Served {
  app: Hono<SimulatorEnv>;
  method(kind: "POST", path: string, name: string, act: (c: Call, fields: Fields) => unknown): void;
  network: Network;
  tokens: Tokens;
  world: World;
  findPost(account: Account, id: string): Post | undefined;
}

export function serveComments({ app, method, network, tokens, world, findPost }: Served): void {
  const { scopes, sign } = network;
  const { platform } = sign;

  /** The account of a token that may manage comments, and its post. */
  const findOwn = (c: Call, fields: Fields) => {
    const account = tokens.accountOf(fields.access_token, scopes.comment);
    const id = c.req.param("id") ?? "";
    const post = findPost(account, id);
    if (post === undefined) throw notFound(id);
    return { account, id, post };
  };

  method("POST", "/:version/:id/comments", "comments", (c, fields) => {
    const { account, id: on } = findOwn(c, fields);
    const { message = "" } = fields;
    if (message === "") throw invalidParameter("The parameter message is required.");
    const id = newId();
    world.ledger.accept({
      platform,
      account: account.username,
      id,
      text: message,
      media: [],
      token: null,
      url: null,
      detail: { comment_on: on },
      shown: { marks: findMarks(message, network.marks), card: null },
    });
    return { id };
  });

  app.get("/:version/:id/comments", async (c) => {
    const { account, id: on } = findOwn(c, await readFields(c));
    const entries = world.ledger.list({ platform, account: account.username });
    const comments = entries.filter(({ detail }) => detail.comment_on === on);
    return c.json({
      data: comments.toReversed().map(({ id, text }) => ({ id, text, username: account.username })),
    });
  });

  // Reference of ig-media, "Updating", read 2026-11-27.
  if (network.turnsCommentsOff !== true) return;
  method("POST", "/:version/:id", "ig-media-update", (c, fields) => {
    const { id, post } = findOwn(c, fields);
    const isOn = parseBoolean(fields, "comment_enabled");
    if (isOn === undefined) throw invalidParameter("The parameter comment_enabled is required.");
    post.isCommentEnabled = isOn;
    const entry = world.ledger.find(platform, id);
    if (entry !== undefined) {
      entry.detail.comment_enabled = isOn;
      entry.shown.facts = { ...entry.shown.facts, Comments: isOn ? "on" : "off" };
    }
    return { success: true };
  });
}

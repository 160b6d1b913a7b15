// Requests of callers. Each one is a separate process, and its answer may be lost.
import type { Caller, Context } from "../../src/context.ts";
import { databaseRefusal } from "../../src/domain/database-fault.ts";
import { Refusal } from "../../src/domain/refusal.ts";
import type { Credentials } from "../../src/operations/identify.ts";
import { handlers } from "../../src/operations/index.ts";
import type { RawInput } from "../../src/operations/run.ts";
import { readText } from "./attribution.ts";
import type { Seen } from "./wanted.ts";
import type { World } from "./world.ts";

export type Operation = keyof typeof handlers;
export type Input = Partial<RawInput>;
export type Answer = { is: "answer"; status: number; body: unknown } | { is: "lost" };

/** The caller: an authenticated one, or credentials to check. */
export type By = Caller | Credentials;

/** The workspace that a caller acts in; null: none. */
export function findWorkspace(by: By): string | null {
  const workspace = "token" in by ? (by.workspaces[0] ?? null) : null;
  return "workspaceId" in by ? by.workspaceId : workspace;
}

/** Makes a request. `answered` is called once, with what the caller receives. */
export function request(
  world: World,
  name: Operation,
  raw: Input,
  caller: By,
  answered: (answer: Answer) => void,
): void {
  const input: RawInput = { params: {}, query: {}, body: undefined, idempotencyKey: null, ...raw };
  let isOver = false;
  const receive = (answer: Answer) => {
    if (isOver) return;
    isOver = true;
    const what = answer.is === "lost" ? "nothing" : `${answer.status}${answer.status < 300 ? "" : ` ${answer.body}`}`;
    world.note(`client gets ${what} of ${name}`);
    if (answer.is === "answer" && answer.status === 500)
      world.failed.push({ process, what: `${name}: ${answer.body}` });
    answered(answer);
  };
  const process = world.processes.spawn(
    "api",
    findWorkspace(caller),
    async (ctx) => {
      const answer = await perform(ctx, name, caller, input);
      // The answer is sent before background work ends.
      receive(world.strikes("client_unheard") ? { is: "lost" } : answer);
    },
    () => receive({ is: "lost" }),
  );
  process.n = findPostNumber(world, input);
}

/** The number of the post that a request names; null: none. */
function findPostNumber({ database }: World, { body, params }: RawInput): number | null {
  const { id = "" } = Object(params);
  const text = Object(body).text ?? database.rows("SELECT text FROM posts WHERE id = ?", String(id))[0]?.text;
  return typeof text === "string" ? (readText(text)?.n ?? null) : null;
}

/** Runs an operation at once, before or after the run. */
export async function performNow(world: World, name: Operation, raw: Input, caller: Caller): Promise<Answer> {
  const input: RawInput = { params: {}, query: {}, body: undefined, idempotencyKey: null, ...raw };
  const process = { ...world.processes.makeProcess("api", null), skewMs: 0 };
  return perform(world.createContext(process), name, caller, input);
}

async function perform(ctx: Context, name: Operation, caller: By, input: RawInput): Promise<Answer> {
  const handler = handlers[name];
  try {
    const { status, body } = await ("token" in caller
      ? handler.invokeFor(ctx, caller, async () => input)
      : handler.invoke(ctx, caller, input));
    return { is: "answer", status, body };
  } catch (error) {
    if (error instanceof Refusal) return { is: "answer", status: error.status, body: `${error.code} ${error.message}` };
    const unavailable = databaseRefusal(error, ctx.now());
    return { is: "answer", status: unavailable?.status ?? 500, body: String(error) };
  }
}

/** A post as a caller sees it, in the form of a request. */
export function seenIn(body: unknown): Seen {
  const { text, media, overrides, thread } = Object(body);
  return { text, media, overrides, thread: thread ?? [] };
}
export function getMember(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? new Map(Object.entries(body)).get(name) : undefined;
}

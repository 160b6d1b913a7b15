// Runs command lines against a service that gives the answers of a test.
import { PassThrough } from "node:stream";
import { COMMANDS } from "../../../cli/commands.ts";
import { Failure } from "../../../cli/failure.ts";
import { writeFailure } from "../../../cli/output/errors.ts";
import { outputTo } from "../../../cli/output/terminal.ts";
import { follow, route } from "../../../cli/router.ts";
import { type Answer, type Call, json, startService } from "./service.ts";

/** Runs a command line with a service that answers with `answer`. `sent`: the writing calls with their bodies. */
export async function runWith(answer: Answer, words: string[], { input = "" }: { input?: string } = {}) {
  const service = await startService(answer);
  const [out, err] = [{ text: "" }, { text: "" }];
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  stdin.end(input);
  const shell = {
    env: { HOME: "/nowhere", CRIER_URL: service.url, CRIER_API_KEY: "crk_live_test" },
    stdin,
    out: outputTo({ write: (text) => (out.text += text) }, {}),
    err: outputTo({ write: (text) => (err.text += text) }, {}),
    signal: new AbortController().signal,
  };
  const ended = (code: number | undefined) => ({ code, out: out.text, err: err.text, sent: listSent(service.calls) });
  try {
    return ended(await follow(route(COMMANDS, words), shell));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    writeFailure(error, shell, words.includes("--json"));
    return ended(error.exitCode);
  } finally {
    await service.close();
  }
}

const listSent = (calls: Call[]): [string, unknown][] =>
  calls
    .filter(({ method }) => method !== "GET")
    .map(({ method, path, body }) => [`${method} ${path}`, body === "" ? null : JSON.parse(body)]);

/** Answers each call with the body under its method and path; null: 204. An unknown call is 404. */
export const answerFrom =
  (answers: Record<string, unknown>): Answer =>
  (response, { method, path }) => {
    const body = answers[`${method} ${path.split("?")[0]}`];
    if (body === null) response.writeHead(204).end();
    else if (body === undefined) json(response, 404, { error: "not_found", message: "No.", request_id: "r" });
    else json(response, method === "POST" ? 201 : 200, body);
  };

// What `npm run live` asks a person, and the report that they can send.
import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import { personAt } from "../live/person.ts";
import { OPEN_QUESTIONS, walkQuestions } from "../live/questions.ts";
import { formatNetwork } from "../live/report-file.ts";

it("every network has open questions, each with what it settles and what it costs", () => {
  expect(Object.keys(OPEN_QUESTIONS).toSorted()).toEqual(networks.map(({ rule }) => rule.platform).toSorted());
  for (const question of Object.values(OPEN_QUESTIONS).flat())
    for (const text of Object.values(question)) expect(text).toMatch(/^[A-Z$].*\.$/);
});

it("the questions are put in their order, and an empty answer skips one", async () => {
  const asked: string[] = [];
  const replies = ["  tweet.fields ", "", "It was refused"];
  const answered = await walkQuestions("x", async (question) => {
    asked.push(question);
    return replies[asked.length - 1] ?? "";
  });
  expect(asked).toHaveLength(OPEN_QUESTIONS.x?.length ?? 0);
  expect(asked[0]).toContain("Question 1 of 3");
  expect(asked[0]).toContain("It costs: $0.015");
  expect(answered.map(({ seen }) => seen)).toEqual(["tweet.fields", null, "It was refused"]);
});

describe("answers", () => {
  it("that are piped in at once go to their questions, and what is left over is skipped", async () => {
    const person = personAt(
      Readable.from(["tweet.fields\n\nIt was refused"]),
      new PassThrough(),
      new AbortController().signal,
    );
    expect((await walkQuestions("x", person.ask)).map(({ seen }) => seen)).toEqual([
      "tweet.fields",
      null,
      "It was refused",
    ]);
    expect(await person.ask("Anything else?")).toBe("");
    person.close();
  });

  it("are waited for no longer once the person stops, and nothing more is asked", async () => {
    const [typed, shown, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
    const person = personAt(typed, shown, stop.signal);
    const answer = person.ask("First? ");
    stop.abort();
    expect(await answer).toBe("");
    expect(await person.ask("Second? ")).toBe("");
    expect(String(shown.read())).toBe("First? ");
    person.close();
  });
});

it("the report has what was found and seen, and no secret, even if a person typed it", async () => {
  const answered = await walkQuestions("telegram", async () => "the token 123456:abcdef was refused");
  const report = formatNetwork({
    platform: "telegram",
    isSimulated: false,
    findings: [{ what: "connect", state: "failed", says: "the bot 123456:abcdef is unknown" }],
    answered,
    secrets: ["123456:abcdef"],
  });
  expect(report).toContain("✗ connect   the bot *** is unknown");
  expect(report).toContain("Seen: the token *** was refused");
  expect(report).not.toContain("123456:abcdef");
  expect(report).toContain("It settles: Which names a public chat may have.");
});

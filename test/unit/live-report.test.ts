// The questions that `npm run live` asks a person, and its report.
import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { networks } from "../../src/networks/index.ts";
import { personAt } from "../live/person.ts";
import { OPEN_QUESTIONS, walkQuestions } from "../live/questions.ts";
import { formatNetwork } from "../live/report-file.ts";

it("every open question of a network has all its texts", () => {
  expect(Object.keys(OPEN_QUESTIONS).toSorted()).toEqual(networks.map(({ rule }) => rule.platform).toSorted());
  for (const question of Object.values(OPEN_QUESTIONS).flat())
    for (const text of Object.values(question)) expect(text).toMatch(/^[A-Z$].*\.$/);
});

it("asks the questions in their order and skips a question after an empty answer", async () => {
  const questions: string[] = [];
  const replies = ["  tweet.fields ", "", "It was refused"];
  const answers = await walkQuestions("x", async (question) => {
    questions.push(question);
    return replies[questions.length - 1] ?? "";
  });
  expect(questions).toHaveLength(OPEN_QUESTIONS.x?.length ?? 0);
  expect(questions[0]).toContain("Question 1 of 3");
  expect(questions[0]).toContain("It costs: $0.015");
  expect(answers.map(({ observation }) => observation)).toEqual(["tweet.fields", null, "It was refused"]);
});

describe("answers", () => {
  it("assigns answers that are piped in at once to their questions, and skips the questions without one", async () => {
    const person = personAt(
      Readable.from(["tweet.fields\n\nIt was refused"]),
      new PassThrough(),
      new AbortController().signal,
    );
    expect((await walkQuestions("x", person.ask)).map(({ observation }) => observation)).toEqual([
      "tweet.fields",
      null,
      "It was refused",
    ]);
    expect(await person.ask("Anything else?")).toBe("");
    person.close();
  });

  it("stops waiting for an answer and asks nothing more once the person stops", async () => {
    const [typed, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
    const person = personAt(typed, output, stop.signal);
    const answer = person.ask("First? ");
    stop.abort();
    expect(await answer).toBe("");
    expect(await person.ask("Second? ")).toBe("");
    expect(String(output.read())).toBe("First? ");
    person.close();
  });
});

it("the report has the findings and the answers, and hides secrets even if a person typed them", async () => {
  const answers = await walkQuestions("telegram", async () => "the token 123456:abcdef was refused");
  const report = formatNetwork({
    platform: "telegram",
    isSimulated: false,
    findings: [{ subject: "connect", state: "failed", message: "the bot 123456:abcdef is unknown" }],
    answered: answers,
    secrets: ["123456:abcdef"],
  });
  expect(report).toContain("✗ connect   the bot *** is unknown");
  expect(report).toContain("Seen: the token *** was refused");
  expect(report).not.toContain("123456:abcdef");
  expect(report).toContain("It shows: Which names a public chat may have.");
});

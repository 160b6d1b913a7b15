import { describe, expect, it } from "vitest";
import { readPoll } from "../../../cli/poll.ts";

describe("a typed poll", () => {
  it.each([
    [undefined, 1_440],
    ["30m", 30],
    ["12h", 720],
    ["3d", 4_320],
  ])("lasts %s as %i minutes", (duration, minutes) => {
    expect(readPoll("Which?", ["a", "b"], duration)).toEqual({ question: "Which?", options: ["a", "b"], minutes });
  });

  it("is absent without a question", () => {
    expect(readPoll(undefined, [], undefined)).toBeUndefined();
  });

  it.each([
    ["Which?", [], undefined],
    [undefined, ["a"], undefined],
    [undefined, [], "3d"],
    ["Which?", ["a", "b"], "3 weeks"],
    ["Which?", ["a", "b"], "0d"],
  ])("is refused as incomplete: %j %j %j", (question, options, duration) => {
    expect(() => readPoll(question, options, duration)).toThrow();
  });
});

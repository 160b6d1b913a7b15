import { expect, it } from "vitest";
import { readAddress } from "../../../cli/api/config.ts";
import { buildOverrides, readSetting } from "../../../cli/args.ts";
import type { Channel } from "../../../cli/channel.ts";
import { findGroup } from "../../../cli/channel-groups.ts";
import { findChannel, nameFor } from "../../../cli/channels.ts";
import { nearest, parseArguments } from "../../../cli/command.ts";
import { candidates } from "../../../cli/commands/completion.ts";
import { COMMANDS } from "../../../cli/commands.ts";
import { Failure } from "../../../cli/failure.ts";
import { pairAlts } from "../../../cli/files.ts";
import { writeFailure } from "../../../cli/output/errors.ts";
import { outputTo } from "../../../cli/output/terminal.ts";
import { follow, route } from "../../../cli/router.ts";

/** Returns the message of a refused command line, and fails if it is accepted. */
function getRefusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) {
      expect(error.exitCode).toBe(2);
      return `${error.message} ${error.hint ?? ""}`;
    }
    throw error;
  }
  throw new Error("it was taken");
}

const definition = {
  name: "try",
  positionals: [{ name: "text", description: "" }],
  flags: {
    file: { type: "string", multiple: true, description: "" },
    at: { type: "string", description: "" },
    type: { type: "string", options: ["feed", "story"], description: "" },
    draft: { type: "boolean", short: "d", description: "" },
  },
} as const;
const read = (...args: string[]) => parseArguments({ ...definition, positionals: [...definition.positionals] }, args);

it("flags keep their order and are all kept", () => {
  const args = read("--file", "a", "Grüße 👋", "--file=b", "-d", "--at", "+2h");
  expect([args.getAll("file"), args.get("at"), args.has("draft"), args.positionals]).toEqual([
    ["a", "b"],
    "+2h",
    true,
    ["Grüße 👋"],
  ]);
  expect(read("--", "--file").positionals).toEqual(["--file"]);
  expect(read("-").positionals).toEqual(["-"]);
});

it.each([
  [["--fiel", "a"], "Unknown option --fiel. did you mean --file?"],
  [["--at", "a", "--at", "b"], "--at is given twice."],
  [["--type", "gif"], "--type gif is not one of feed, story."],
  [["hello", "world"], "`world` is an unexpected argument. put text in quotes"],
  [["--at"], "--at"],
  [["--draft=yes"], "--draft"],
])("an invalid command line does nothing: %j", (args, named) => {
  expect(getRefusal(() => read(...args))).toContain(named);
});

it("a repeated argument takes all remaining words, and is required once", () => {
  const ofPosts = {
    ...definition,
    positionals: [{ name: "post", description: "", required: true, many: true } as const],
  };
  expect(parseArguments(ofPosts, ["post_1", "-d", "post_2", "post_3"]).positionals).toEqual([
    "post_1",
    "post_2",
    "post_3",
  ]);
  expect(getRefusal(() => parseArguments(ofPosts, ["-d"]))).toContain("POST is missing.");
});

it("a command is found after flags, and a misspelt one gets a suggestion", () => {
  const routeWords = (argv: string[]) => {
    const { path, args } = route(COMMANDS, argv);
    return [path.map(({ name }) => name).join(" "), args];
  };
  expect(routeWords(["--json", "--url", "http://x", "status", "post_1"])).toEqual([
    "status",
    ["--json", "--url", "http://x", "post_1"],
  ]);
  expect(routeWords(["channels", "--json", "connect", "net"])).toEqual(["channels connect", ["--json", "net"]]);
  expect(routeWords(["channels", "--json"])).toEqual(["channels", ["--json"]]);
  expect(routeWords(["analytics", "--days", "7"])).toEqual(["analytics", ["--days", "7"]]);
  expect(routeWords(["analytics", "--days", "7", "posts"])).toEqual(["analytics posts", ["--days", "7"]]);
  expect(routeWords([])).toEqual(["", []]);
  expect(getRefusal(() => route(COMMANDS, ["psot"]))).toContain("did you mean crier post?");
  expect(nearest("status", ["stop"])).toBeNull();
});

const makeChannel = (id: string, platform: string, handle: string, state: Channel["state"] = "connected"): Channel => ({
  id,
  platform,
  handle,
  name: null,
  avatar_url: null,
  profile_url: null,
  connected: state === "connected",
  state,
  token_expires_at: null,
  waits_until: null,
  missing_permissions: [],
  tier: null,
  connected_by: null,
  created_at: "2026-11-21T08:30:00.000Z",
});
const CHANNELS = [
  makeChannel("ch_1", "alphanet", "@ada"),
  makeChannel("ch_2", "betanet", "Ada"),
  makeChannel("ch_3", "betanet", "@größe"),
  makeChannel("ch_4", "gammanet", "ada.example.com"),
  makeChannel("ch_5", "gammanet", "old", "needs_reconnect"),
];

it("a channel is found by its id, handle or platform, and an ambiguous name is refused", () => {
  const findId = (name: string) => findChannel(name, CHANNELS).id;
  expect(
    ["ch_2", "alphanet", "GRÖSSE".toLowerCase().replace("ss", "ß"), "@größe", "betanet:ada", "betanet:@ada"].map(
      findId,
    ),
  ).toEqual(["ch_2", "ch_1", "ch_3", "ch_3", "ch_2", "ch_2"]);
  // The name of a platform is enough if it has one usable channel.
  expect(findId("gammanet")).toBe("ch_4");
  expect(getRefusal(() => findId("ada"))).toContain("use one of: alphanet:@ada or betanet:Ada");
  expect(getRefusal(() => findId("betanet"))).toContain("2 channels");
  expect(getRefusal(() => findId("nobody"))).toContain("one of: ");
  for (const channel of CHANNELS) expect(findChannel(nameFor(channel, CHANNELS), CHANNELS)).toBe(channel);
});

it("a channel group is found by its id or its name, and an ambiguous name is refused", () => {
  const groups = ["News", "Team", "team"].map((name, i) => ({ id: `grp_${i}`, name, channels: [] }));
  const findId = (name: string) => findGroup(name, groups).id;
  expect(["grp_1", "NEWS"].map(findId)).toEqual(["grp_1", "grp_0"]);
  expect(getRefusal(() => findId("Team"))).toContain("use one of: grp_1 or grp_2");
  expect(getRefusal(() => findId("nobody"))).toContain("one of: `News`");
  expect(getRefusal(() => findGroup("News", []))).toContain("no channel groups yet");
});

const RULE = {
  platform: "gammanet",
  options: {
    type: "object",
    properties: {
      title: { type: "string" },
      public: { type: "boolean" },
      rank: { anyOf: [{ type: "integer" }, { type: "null" }] },
      tags: { type: "array", items: { type: "string" } },
      card: { anyOf: [{ const: "off", type: "string" }, { type: "object" }] },
    },
  },
};
const overrides = (...settings: string[]) => buildOverrides(settings.map(readSetting), CHANNELS, [RULE]);

it("an option has the type that the network's schema names", () => {
  expect(
    overrides(
      "ada.example.com.title=a=b.c",
      "gammanet.public=true",
      "gammanet.rank=7",
      "gammanet.tags=one",
      "gammanet.tags=two",
      "gammanet.text=Kurz",
      "gammanet.unheard=of",
      "gammanet.card=off",
    ),
  ).toEqual({
    ch_4: { title: "a=b.c", public: true, rank: 7, tags: ["one", "two"], text: "Kurz", unheard: "of", card: "off" },
  });
});

it.each(["title=x", "gammanet=x", "gammanet.=x", "gammanet.title", ".title=x"])("--set %s is refused", (text) => {
  expect(getRefusal(() => readSetting(text))).toContain("CHANNEL.OPTION=VALUE");
});
it.each(["gammanet.public=ja", "gammanet.rank=high"])("--set %s is refused before it is sent", (text) => {
  expect(getRefusal(() => overrides(text))).toMatch(/must be (true or false|a number)/);
});
it("an option that is given twice is rejected", () => {
  expect(getRefusal(() => overrides("gammanet.title=a", "gammanet.title=b"))).toContain("given twice");
});

const toArguments = (...args: string[]) =>
  args.map((word) => ({ name: /^[a-z]\.jpg$/.test(word) ? "file" : "alt", value: word }));
it.each([
  [
    ["a.jpg", "A", "b.jpg", "B"],
    ["A", "B"],
  ],
  [
    ["a.jpg", "b.jpg", "A", "B"],
    ["A", "B"],
  ],
  [
    ["a.jpg", "b.jpg"],
    [null, null],
  ],
  [
    ["a.jpg", "A", "b.jpg"],
    ["A", null],
  ],
  [
    ["a.jpg", "", "b.jpg", "B"],
    [null, "B"],
  ],
])("%j are described as %j", (args, alts) => {
  expect(pairAlts(toArguments(...args)).map(({ alt }) => alt)).toEqual(alts);
});
it.each([[["A", "a.jpg"]], [["a.jpg", "b.jpg", "B"]], [["a.jpg", "A", "AA", "b.jpg"]], [["a.jpg", "A", "B"]]])(
  "alt texts that match no file are refused: %j",
  (args) => {
    expect(getRefusal(() => pairAlts(toArguments(...args)))).toContain("--alt");
  },
);

it("a service address is http or https, without its path end", () => {
  expect(readAddress("https://crier.example.com/", "--url")).toBe("https://crier.example.com");
  expect(readAddress("http://127.0.0.1:8787", "--url")).toBe("http://127.0.0.1:8787");
  for (const bad of ["crier.example.com", "ftp://x", "https://a:b@x", ""]) getRefusal(() => readAddress(bad, "--url"));
});

it("completion knows commands, flags, values and files", () => {
  const complete = (...line: string[]) => candidates(COMMANDS, line).map((candidate) => candidate.split("\t")[0]);
  expect(complete("")).toContain("post");
  expect(complete("")).not.toContain("complete");
  expect(complete("pl")).toEqual(["platforms", "plan"]);
  expect(complete("channels", "co")).toEqual(["connect"]);
  expect(complete("post", "--dr")).toEqual(["--draft", "--dry-run"]);
  expect(complete("post", "--type", "st")).toEqual(["story"]);
  expect(complete("post", "-f", "a")).toEqual([":files"]);
  expect(complete("post", "--channel", "a")).toEqual([]);
  expect(complete("completion", "z")).toEqual(["zsh"]);
});

it.each([
  ["login"],
  ["plan"],
  ["status", "post_1"],
  ["login", "--"],
  ["login", "--url"],
  ["events", "--event"],
  ["login", "--key"],
  [],
])("crier %j with a mistyped key after it never prints the key", async (...args) => {
  const keys = [
    "crk_live_0123456789abcdefghijABCDEFGHIJ012345",
    "sk-0123456789abcdefghijABCDEFGHIJ",
    "Crk-LiveAbcdefghijklmnopqrstuv",
  ];
  for (const key of keys.flatMap((whole) => [whole, `--${whole}`, `--key=${whole}`, `'${whole}'`])) {
    let text = "";
    const sink = { write: (chunk: string) => (text += chunk) };
    const out = outputTo(sink, {});
    const shell = {
      env: { HOME: "/nowhere" },
      stdin: process.stdin,
      out,
      err: out,
      signal: new AbortController().signal,
    };
    try {
      await follow(route(COMMANDS, [...args, key]), shell);
      throw new Error("it was taken");
    } catch (error) {
      expect(error).toBeInstanceOf(Failure);
      writeFailure(error, shell, false);
    }
    expect(text).not.toContain(key.replaceAll(/^--(key=)?|'/g, "").slice(0, 12));
  }
});

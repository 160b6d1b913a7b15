import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { COMMON_PASSWORDS_FILE } from "../../scripts/common-passwords.ts";
import { files, imports, root } from "./imports.ts";

/** The files that each network has, with the names that its index imports from them. */
const NETWORK_FILES: Record<string, string[]> = {
  index: [],
  access: [],
  rule: ["rule"],
  api: [],
  errors: [],
  auth: ["connect", "consent", "consentByHandle", "consentWays", "refreshAt", "endsAt", "refresh"],
  publish: ["prepare", "publish", "reconcile", "firstComment"],
  inspect: ["recheck", "readMetrics"],
};
/** Further files that a network may have, with their content. */
const PRIVATE_FILES: Record<string, string> = {
  additions: "options that are carried out once the post is live",
  "authorization-server": "the server at which the owner of an account signs in",
  captions: "the captions of a live video",
  creator: "what an account may post now",
  credential: "what is stored of an account that can be connected in several ways",
  edit: "the edit of a live text",
  gates: "who may reply to a post and quote it",
  identity: "an account's server and its names",
  "link-form": "what the page of a connect link asks for",
  "link-card": "the title, description and image of a page",
  "look-ups": "the lists of values of options",
  media: "the upload of files of every kind",
  oauth: "the sign-in in the browser, if an account can be connected in another way too",
  pages: "the accounts that a grant covers",
  password: "the sign-in with a password that was made for programs",
  photos: "the upload of photos",
  proof: "the proof that a call comes from its session",
  "post-kind": "the choice between several ways to publish a post",
  quote: "the post that a post quotes",
  reconcile: "the search for a post, if `publish.ts` would be too long with it",
  record: "a post as the network stores it",
  request: "the bodies of the calls that publish",
  reshare: "the post that a post shares again",
  "rich-text": "links, mentions and tags in a text",
  "take-down": "taking a post down",
  text: "a text as the network stores and shows it",
  timeline: "a post as the account's own list shows it",
  upload: "the upload of a video",
  users: "the accounts that a post tags",
  video: "a video from its upload to the moment it is public",
  version: "the version of its API",
  "video-status": "the network's status of a video",
  "video-upload": "the upload of a video in chunks",
};
const NETWORK_FILE_LINES_MAX = 300;
const INDEX_LINES_MAX = 45;

const networkFiles = Map.groupBy(
  globSync("src/networks/*/*.ts", { cwd: root }).filter((file) => !file.startsWith("src/networks/shared/")),
  (file) => file.split("/")[2] ?? "",
);

it("all networks have the same set of files", () => {
  expect(networkFiles.size).toBeGreaterThan(0);
  for (const [network, paths] of networkFiles) {
    const names = paths.map((path) => basename(path, ".ts"));
    expect(names, network).toEqual(expect.arrayContaining(Object.keys(NETWORK_FILES)));
    const unknown = names.filter((name) => !(name in NETWORK_FILES) && !(name in PRIVATE_FILES));
    expect(unknown, `${network}: no network has files of these names`).toEqual([]);
    const long = paths.filter(
      (path) => readFileSync(join(root, path), "utf8").split("\n").length > NETWORK_FILE_LINES_MAX,
    );
    expect(long, network).toEqual([]);
  }
  const used = new Set([...networkFiles.values()].flat().map((path) => basename(path, ".ts")));
  expect(Object.keys(PRIVATE_FILES).filter((name) => !used.has(name))).toEqual([]);
});

/** The faults of an index, which may only list the members of a network. */
function findWiringFaults(text: string): string[] {
  const code = text.replace(/^\s*\/\/.*\n/gm, "").replace(/^import\b[^;]*;\n/gm, "");
  const members = /^\s*export const \w+ = network\(\{\n([^{}]*)\}\);\n$/.exec(code)?.[1];
  const faults = members === undefined || /=>|\bfunction\b|\bawait\b/.test(members) ? ["it computes"] : [];
  if (text.split("\n").length > INDEX_LINES_MAX) faults.push("it is long");
  for (const [file, names] of Object.entries(NETWORK_FILES)) {
    const importedNames =
      new RegExp(`^import \\{([^}]*)\\} from "\\./${file}\\.ts";`, "m").exec(text)?.[1]?.split(/[\s,]+/) ?? [];
    for (const name of names.filter((name) => new RegExp(`^\\s+${name}\\b`, "m").test(members ?? ""))) {
      if (!new RegExp(`^\\s+${name},$`, "m").test(members ?? "") || !importedNames.includes(name))
        faults.push(`${name} is not of ${file}`);
    }
  }
  return faults;
}

it("the index of a network only lists its members", () => {
  for (const network of networkFiles.keys()) {
    const text = readFileSync(join(root, `src/networks/${network}/index.ts`), "utf8");
    expect(findWiringFaults(text), network).toEqual([]);
    expect(findWiringFaults(text.replace("  prepare,\n", "  prepare: async () => null,\n")), network).toContain(
      "it computes",
    );
    expect(findWiringFaults(text.replace("./inspect.ts", "./publish.ts")), network).toContain(
      "recheck is not of inspect",
    );
  }
});

it("only a network's own files import each other; other code uses the registry and the interface", () => {
  const open = ["index", "media-file", "network", "renewal", "request-only"].map((name) => `src/networks/${name}.ts`);
  const breaches = imports.filter(({ from, to, isOwn }) => {
    if (!isOwn || !to.startsWith("src/networks/") || open.includes(to)) return false;
    const folder = dirname(to);
    if (dirname(from) === folder) return false;
    if (folder.startsWith("src/networks/shared")) return !from.startsWith("src/networks/");
    return !(from === "src/networks/index.ts" && basename(to) === "index.ts");
  });
  expect(breaches.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

/** Finds a network by its name. `threads` in small letters is also the plural of a thread, unless it is a string of its own. */
function namePattern(name: string): RegExp {
  if (name === "threads") return /\bThreads\b|["'`]threads["'`]/;
  return new RegExp(name.length > 1 ? `\\b${name}\\b` : `["'\`]${name}["'\`]`, "i");
}

it("the name of a network appears only in its own folder", () => {
  const names = globSync("src/networks/*/rule.ts", { cwd: root }).map((file) => file.split("/")[2] ?? "");
  expect(names.length).toBeGreaterThan(0);
  const elsewhere = files.filter(
    (file) =>
      !file.startsWith("src/networks/") &&
      // Some names of networks are common passwords.
      file !== COMMON_PASSWORDS_FILE &&
      // The display names of the networks.
      file !== "src/domain/network-name.ts" &&
      // The colours of their marks, and the names of their icons in a package.
      file !== "src/identity/networks.ts" &&
      file !== "src/dashboard/identity-plugin.ts" &&
      // The dashboard's words for the options of each network, and how people get its passwords and tokens.
      !file.startsWith("src/dashboard/words/") &&
      file !== "src/dashboard/channels/guides.ts" &&
      // The previews of each network.
      file !== "src/dashboard/ui/networks.ts" &&
      file !== "src/dashboard/compose/looks.ts" &&
      names.some((name) => namePattern(name).test(readFileSync(join(root, file), "utf8"))),
  );
  expect(elsewhere).toEqual([]);
});

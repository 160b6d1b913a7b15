import { checkKey, configFile, removeConfig, requireUrl, storeConfig } from "../api/config.ts";
import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { oneLine } from "../output/terminal.ts";
import { COMMON, openClient, settings, URL_FLAG, writeJson } from "../session.ts";

export const login = command({
  name: "login",
  summary: "Check a workspace key and store it.",
  details:
    "The key comes from CRIER_API_KEY, from stdin, or from a hidden prompt, never from a flag, because " +
    "other users of the machine can see flags. It is stored in a file that only you can read (mode 600), in $XDG_CONFIG_HOME/crier or " +
    "~/.config/crier, and sent to this address only.",
  flags: COMMON,
  examples: [
    ["crier login --url https://crier.example.com", "Ask for the key."],
    ["crier login --url https://crier.example.com < key.txt", "Read the key from a file."],
    ["CRIER_API_KEY=… CRIER_URL=… crier plan", "Use a key without storing it."],
  ],
  async run(args, shell) {
    const { env, stdin, out, err } = shell;
    const url = requireUrl(await settings(args, shell));
    const [text, from] = await keyToStore();
    const key = checkKey(text);
    const client = openClient(shell, { url, key });
    const { body: workspace } = await client.call("workspaces.current");
    const file = configFile(env);
    await storeConfig(file, { url, key });
    if (args.has("json")) writeJson(out, workspace);
    else out.line(`Signed in at ${url}: workspace ${oneLine(workspace.name)}, plan ${workspace.plan}.`);
    err.line(`The key ${from} is stored in ${file}.`);
    if (env.CRIER_API_KEY) err.line("While CRIER_API_KEY is set, it is used instead of the stored key.");
    return 0;

    async function keyToStore(): Promise<[string, string]> {
      const { askHidden, readStdin } = await import("../output/prompt.ts");
      if (env.CRIER_API_KEY) return [env.CRIER_API_KEY, "from CRIER_API_KEY"];
      if (stdin.isTTY) return [await askHidden("Workspace key: ", shell), "that you typed"];
      const key = (await readStdin(shell)).toString("utf8");
      if (key.trim() === "") throw usage("No key was read from stdin.", "set CRIER_API_KEY, or: crier login < key.txt");
      return [key, "from stdin"];
    }
  },
});

export const logout = command({
  name: "logout",
  summary: "Remove the stored key.",
  flags: { ...URL_FLAG },
  examples: [["crier logout", "The key stays valid. To revoke it, rotate it."]],
  async run(_words, { env, out, err }) {
    const file = configFile(env);
    out.line((await removeConfig(file)) ? `Removed ${file}.` : "No key was stored.");
    if (env.CRIER_API_KEY) err.line("CRIER_API_KEY is still set.");
    return 0;
  },
});

import { type AnyCommand, command, HELP } from "../command.ts";
import { usage } from "../failure.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

// Each script calls `crier complete`, which answers from the commands themselves: `word<TAB>description`, or `:files`.
const SCRIPTS: Record<(typeof SHELLS)[number], string> = {
  bash: `_crier() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" tab=$'\\t' line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
    else
      COMPREPLY+=("\${line%%"$tab"*}")
    fi
  done < <(crier complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _crier crier
`,
  zsh: `#compdef crier
_crier() {
  local line tab=$'\\t'
  local -a found
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then _files; return; fi
    found+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}")
  done < <(crier complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'crier' found
}
if [[ "\${funcstack[1]}" == "_crier" ]]; then _crier "$@"; else compdef _crier crier; fi
`,
  fish: `function __crier_complete
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  for line in (crier complete -- $words[2..-1] "$last" 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c crier -f -a '(__crier_complete)'
`,
};

export const completion = command({
  name: "completion",
  summary: "Print a shell completion script.",
  positionals: [{ name: "shell", description: SHELLS.join(", "), required: true }],
  flags: {},
  examples: [
    ["crier completion bash >> ~/.bashrc", "For bash."],
    ["crier completion zsh > ~/.zfunc/_crier", "For zsh, if ~/.zfunc is in fpath."],
    ["crier completion fish > ~/.config/fish/completions/crier.fish", "For fish."],
  ],
  async run({ positionals: [shellName] }, { out }) {
    const shell = SHELLS.find((candidate) => candidate === shellName);
    if (shell === undefined)
      throw usage(`Completion is not supported for ${shellName}.`, `one of ${SHELLS.join(", ")}`);
    out.write(SCRIPTS[shell]);
    return 0;
  },
});

/** The command that the scripts call: `typed` ends with the word under the cursor. */
export function completeCommand(commands: () => AnyCommand[]): AnyCommand {
  return {
    name: "complete",
    summary: "Answers the completion of shells.",
    hidden: true,
    flags: {},
    examples: [],
    positionals: [{ name: "words", description: "" }],
    async runRaw(args, { out }) {
      for (const line of candidates(commands(), args[0] === "--" ? args.slice(1) : args)) out.line(line);
      return 0;
    },
  };
}

/** Lines of `word<TAB>description` that may replace the last word of `typed`; `:files` for paths. */
export function candidates(commands: AnyCommand[], typed: string[]): string[] {
  const current = typed.at(-1) ?? "";
  const before = typed.slice(0, -1);
  let below = commands.filter(({ hidden }) => hidden !== true);
  let matchedCommand: AnyCommand | undefined;
  let words = 0;
  let awaited: string | null = null;
  for (const word of before) {
    if (awaited !== null) awaited = null;
    else if (word.startsWith("-")) awaited = awaitedBy(matchedCommand, word);
    else {
      const next = below.find(({ name }) => name === word);
      if (next === undefined) words++;
      else {
        matchedCommand = next;
        below = next.commands ?? [];
      }
    }
  }
  const fits = (word: string) => word.startsWith(current);
  if (awaited !== null) {
    const flag = matchedCommand?.flags[awaited];
    if (flag?.file === true) return [":files"];
    return (flag?.options ?? []).filter(fits).map((value) => `${value}\t`);
  }
  if (current.startsWith("-")) {
    return Object.entries({ ...matchedCommand?.flags, ...HELP })
      .filter(([name]) => fits(`--${name}`))
      .map(([name, { description }]) => `--${name}\t${description}`);
  }
  const completions = below.filter(({ name }) => fits(name)).map(({ name, summary }) => `${name}\t${summary}`);
  return matchedCommand?.name === "completion" && words === 0
    ? SHELLS.filter(fits).map((shell) => `${shell}\t`)
    : completions;
}

/** The flag whose value comes next; null if `word` takes none. */
function awaitedBy(command: AnyCommand | undefined, word: string): string | null {
  const flagEntry = Object.entries(command?.flags ?? {}).find(
    ([name, { short }]) => word === `--${name}` || word === `-${short}`,
  );
  return flagEntry?.[1].type === "string" ? flagEntry[0] : null;
}

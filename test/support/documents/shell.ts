// The simple commands of a piece of shell, as far as the documents use it: quotes, `$(...)`, pipes, lists, redirections.

/** Each command as its words, those inside `$(...)` too; quotes are taken off, and `$(...)` stays as it is written. */
export function commandsOf(code: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  /** The next word is where something is read from or written to. */
  let isTarget = false;
  const endWord = () => {
    if (word !== null && !isTarget) words.push(word);
    if (word !== null) isTarget = false;
    word = null;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < code.length; at++) {
    const char = code[at] ?? "";
    if (char === "\\") {
      at++;
      if (code[at] !== "\n") word = (word ?? "") + (code[at] ?? "");
    } else if (char === "'" || char === '"') {
      const end = endOfQuote(code, at);
      const quoted = code.slice(at + 1, end);
      if (char === '"') commands.push(...commandsInside(quoted));
      word = (word ?? "") + (char === '"' ? quoted.replaceAll('\\"', '"') : quoted);
      at = end;
    } else if (code.startsWith("$(", at)) {
      const end = endOfParenthesis(code, at + 2);
      commands.push(...commandsOf(code.slice(at + 2, end)));
      word = (word ?? "") + code.slice(at, end + 1);
      at = end;
    } else if (char === "#" && word === null) {
      at = (code.indexOf("\n", at) + code.length) % code.length;
      endCommand();
    } else if ("|&;\n".includes(char)) endCommand();
    else if (char === "<" || char === ">") {
      endWord();
      isTarget = true;
    } else if (/\s/.test(char)) endWord();
    else word = (word ?? "") + char;
  }
  endCommand();
  return commands;
}

function endOfQuote(code: string, start: number): number {
  const quote = code[start];
  for (let at = start + 1; at < code.length; at++) {
    if (code[at] === "\\" && quote === '"') at++;
    else if (quote === '"' && code.startsWith("$(", at)) at = endOfParenthesis(code, at + 2);
    else if (code[at] === quote) return at;
  }
  throw new Error(`a quote has no end: ${code.slice(start, start + 40)}`);
}

/** `start`: behind the opening one. */
function endOfParenthesis(code: string, start: number): number {
  for (let at = start, depth = 1; at < code.length; at++) {
    const char = code[at] ?? "";
    if (char === "'" || char === '"') at = endOfQuote(code, at);
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return at;
  }
  throw new Error(`a $( has no end: ${code.slice(start, start + 40)}`);
}

function commandsInside(quoted: string): string[][] {
  const commands: string[][] = [];
  for (let at = quoted.indexOf("$("); at !== -1; at = quoted.indexOf("$(", at)) {
    const end = endOfParenthesis(quoted, at + 2);
    commands.push(...commandsOf(quoted.slice(at + 2, end)));
    at = end;
  }
  return commands;
}

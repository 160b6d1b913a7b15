// Parses the simple commands of shell code, as far as the documents use it: quotes, `$(...)`, pipes, lists, redirections.

/** Returns the words of each command, including commands inside `$(...)`. Quotes are removed, and `$(...)` stays unchanged. */
export function parseCommands(code: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  /** Whether the next word is the source or the target of a redirection. */
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
  for (let index = 0; index < code.length; index++) {
    const char = code[index] ?? "";
    if (char === "\\") {
      index++;
      if (code[index] !== "\n") word = (word ?? "") + (code[index] ?? "");
    } else if (char === "'" || char === '"') {
      const end = findQuoteEnd(code, index);
      const quoted = code.slice(index + 1, end);
      if (char === '"') commands.push(...parseSubstitutions(quoted));
      word = (word ?? "") + (char === '"' ? quoted.replaceAll('\\"', '"') : quoted);
      index = end;
    } else if (code.startsWith("$(", index)) {
      const end = findParenthesisEnd(code, index + 2);
      commands.push(...parseCommands(code.slice(index + 2, end)));
      word = (word ?? "") + code.slice(index, end + 1);
      index = end;
    } else if (char === "#" && word === null) {
      index = (code.indexOf("\n", index) + code.length) % code.length;
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

function findQuoteEnd(code: string, start: number): number {
  const quote = code[start];
  for (let index = start + 1; index < code.length; index++) {
    if (code[index] === "\\" && quote === '"') index++;
    else if (quote === '"' && code.startsWith("$(", index)) index = findParenthesisEnd(code, index + 2);
    else if (code[index] === quote) return index;
  }
  throw new Error(`a quote has no end: ${code.slice(start, start + 40)}`);
}

/** `start` is the position after the opening parenthesis. */
function findParenthesisEnd(code: string, start: number): number {
  for (let index = start, depth = 1; index < code.length; index++) {
    const char = code[index] ?? "";
    if (char === "'" || char === '"') index = findQuoteEnd(code, index);
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return index;
  }
  throw new Error(`a $( has no end: ${code.slice(start, start + 40)}`);
}

function parseSubstitutions(quoted: string): string[][] {
  const commands: string[][] = [];
  for (let index = quoted.indexOf("$("); index !== -1; index = quoted.indexOf("$(", index)) {
    const end = findParenthesisEnd(quoted, index + 2);
    commands.push(...parseCommands(quoted.slice(index + 2, end)));
    index = end;
  }
  return commands;
}

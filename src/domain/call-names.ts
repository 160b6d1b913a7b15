// Hints name calls of the REST API. Programs that have no such calls show their own commands and tools instead.
const CALL = /`((?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^`\s]+)`/g;

/** Replaces each call in a hint with its name in `names`, by method and path. A call without a name stays as it is. */
export const renameCalls = (hint: string, names: ReadonlyMap<string, string>): string =>
  hint.replace(CALL, (quoted: string, call: string) => {
    const name = names.get(call);
    return name === undefined ? quoted : `\`${name}\``;
  });

// Options that do not fit the shape of a post.
import type { FileScope, OptionScope } from "./platform-rule.ts";
import { effectivePostType, type PostTarget } from "./post-target.ts";

/** The option that turns comments off: it is set if its value is `false`, because comments are on otherwise. */
export const COMMENTS = "comments";

/** Whether an option has a value that asks for something. An option that is switched off requires nothing. */
export const isSet = (name: string, value: unknown): boolean =>
  name === COMMENTS ? value === false : value !== undefined && value !== false;

/** Names of the options that are set. */
export const namesOfSet = (options: object): string[] =>
  Object.entries(options).flatMap(([name, value]) => (isSet(name, value) ? [name] : []));

/** How many entries each option that is a list has. */
export const countEntries = (options: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (Array.isArray(value) ? [[name, value.length]] : [])),
  );

const KINDS: Record<FileScope, string> = { image: "images", video: "a video", document: "a document", any: "files" };

interface Misfit {
  name: string;
  message: string;
  scope: OptionScope;
  /** The only problem is that the post has no file (yet). */
  needsFile: boolean;
}
type Shape = Pick<PostTarget, "rule" | "postType" | "options" | "poll"> & {
  media: readonly Pick<PostTarget["media"][number], "kind">[];
};

/** The options that are set and do not fit the type or the files of a post target. */
export function misfitOptions(target: Shape): Misfit[] {
  const { rule, options, media, poll = null } = target;
  const type = effectivePostType(target);
  return Object.entries(rule.options_go_with ?? {}).flatMap(([name, scope]) => {
    const { post_types, media: kind, poll: needsPoll } = scope;
    const isOfType = post_types?.includes(type) ?? true;
    const hasFiles =
      kind === undefined || (media.length > 0 && media.every((file) => kind === "any" || file.kind === kind));
    const hasPoll = needsPoll === undefined || needsPoll === (poll !== null);
    if (!options.includes(name) || (isOfType && hasFiles && hasPoll)) return [];
    const message = `\`${name}\` can only be used with ${describeScope(scope)} on ${rule.platform}.`;
    return [{ name, message, scope, needsFile: isOfType && !hasFiles && hasPoll && media.length === 0 }];
  });
}

export function describeScope({ post_types, media, poll }: OptionScope): string {
  const kind = media === undefined ? [] : [KINDS[media]];
  const types = post_types === undefined ? [] : [`\`post_type\` ${post_types.join(" or ")}`];
  const polls = poll === undefined ? [] : [poll ? "a poll" : "a post without a poll"];
  return [...kind, ...types, ...polls].join(" and ");
}

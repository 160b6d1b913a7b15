// What stands in for drizzle's `entity.js` in the simulation: the same answers, each looked for once. Of all that the
// simulation does, most was to ask what a part of a statement is.
export const entityKind = Symbol.for("drizzle:entityKind");
export const hasOwnEntityKind = Symbol.for("drizzle:hasOwnEntityKind");

interface Kind {
  name?: string;
  [entityKind]?: string;
}

const known = new Map<unknown, Map<Kind, boolean>>();

/** Whether a value is of a class of drizzle's, or of one of the same name and another copy of it. */
export function is(value: unknown, type: Kind): boolean {
  if (typeof value !== "object" || value === null) return false;
  const its: unknown = Object.getPrototypeOf(value).constructor;
  let answers = known.get(its);
  if (answers === undefined) {
    answers = new Map();
    known.set(its, answers);
  }
  let answer = answers.get(type);
  if (answer === undefined) {
    answer = isKind(its, type);
    answers.set(type, answer);
  }
  return answer;
}

function isKind(its: unknown, type: Kind): boolean {
  if (!Object.hasOwn(type, entityKind)) throw new Error(`${type.name} is no class of drizzle's`);
  for (let one = its; typeof one === "function"; one = Object.getPrototypeOf(one))
    if (entityKind in one && one[entityKind] === type[entityKind]) return true;
  return false;
}

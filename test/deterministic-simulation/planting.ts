// Bugs are planted where the code under test can be taken apart by name: an export of a module is replaced by what the bug
// makes of the original, as the module is loaded (-> loading.ts). An export that does not exist fails loudly.

export interface Injection {
  /** From the root of the project. */
  module: string;
  /** An export of it. */
  name: string;
  /** What stands in its place. */
  make(original: never): unknown;
}

/** An injection into a module whose exports are `Exports`. */
export const into =
  <Exports>(module: string) =>
  <Name extends keyof Exports & string>(name: Name, make: (original: Exports[Name]) => Exports[Name]): Injection => ({
    module,
    name,
    make,
  });

let injections: readonly Injection[] = [];
const applied = new Set<Injection>();

/** From now on modules are loaded with these. */
export function plant(all: readonly Injection[]): void {
  injections = all;
}

/** The exports of a module that are replaced. */
export const plantedIn = (module: string): string[] => [
  ...new Set(injections.filter((one) => one.module === module).map(({ name }) => name)),
];
export const plantedModules = (): string[] => [...new Set(injections.map(({ module }) => module))];

/** What takes the place of one export. Throws when the module has none of that name. */
export function planted(module: string, name: string, original: Record<string, unknown>): unknown {
  if (!(name in original)) throw new Error(`${module} exports no ${name}: the bug cannot be planted`);
  let made: unknown = original[name];
  for (const injection of injections) {
    if (injection.module !== module || injection.name !== name) continue;
    // The one who planted it named its type.
    made = injection.make(made as never);
    applied.add(injection);
  }
  return made;
}

/** Throws when a bug was planted where nothing was loaded. */
export function checkPlanted(): void {
  for (const injection of injections)
    if (!applied.has(injection)) throw new Error(`${injection.module} was never loaded: no bug is planted in it`);
}

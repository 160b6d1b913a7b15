// Plants bugs by name: an export of a module is replaced when the module is loaded (loading.ts). An unknown export throws.

export interface Injection {
  /** Path from the root of the project. */
  module: string;
  /** An export of the module. */
  name: string;
  /** Returns the replacement. */
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

/** Modules are loaded with these injections from now on. */
export function plant(all: readonly Injection[]): void {
  injections = all;
}

/** The replaced exports of a module. */
export const plantedIn = (module: string): string[] => [
  ...new Set(injections.filter((one) => one.module === module).map(({ name }) => name)),
];
export const plantedModules = (): string[] => [...new Set(injections.map(({ module }) => module))];

/** The replacement of one export. Throws if the module has no such export. */
export function planted(module: string, name: string, original: Record<string, unknown>): unknown {
  if (!(name in original)) throw new Error(`${module} exports no ${name}: the bug cannot be planted`);
  let made: unknown = original[name];
  for (const injection of injections) {
    if (injection.module !== module || injection.name !== name) continue;
    // The injection declared the type.
    made = injection.make(made as never);
    applied.add(injection);
  }
  return made;
}

/** Throws if a bug was planted in a module that was not loaded. */
export function checkPlanted(): void {
  for (const injection of injections)
    if (!applied.has(injection)) throw new Error(`${injection.module} was never loaded: no bug is planted in it`);
}

// Accounts that a caller asks for by their names. An account whose name begins with `nobody` does not exist.
import { hasPersona } from "../personas.ts";
import type { State } from "../state.ts";
import { invalidParameter } from "./problem.ts";
import { userId } from "./user-id.ts";

const NAMES_MAX = 100;

export class Users {
  /** Names by id. */
  readonly #names: Map<string, string>;

  constructor(state: State) {
    this.#names = state.map("x.users");
  }

  /** GET /2/users/by: accounts that do not exist are problems next to the others. */
  lookUp(usernames = ""): object {
    const names = usernames.split(",");
    if (names.length > NAMES_MAX || names.some((name) => !/^[A-Za-z0-9_]{1,15}$/.test(name)))
      throw invalidParameter("usernames", usernames, "The `usernames` query parameter value is not valid");
    const found = names.filter((name) => !hasPersona(name, "nobody"));
    for (const name of found) this.#names.set(userId(name), name);
    const errors = names
      .filter((name) => hasPersona(name, "nobody"))
      .map((name) => ({
        value: name,
        resource_type: "user",
        parameter: "usernames",
        title: "Not Found Error",
        detail: `Could not find user with usernames: [${name}].`,
        type: "https://api.x.com/2/problems/resource-not-found",
      }));
    return {
      ...(found.length > 0 && {
        data: found.map((name) => ({ id: userId(name), username: name, name: `${name} on X` })),
      }),
      ...(errors.length > 0 && { errors }),
    };
  }

  nameAll(ids: string[]): string[] {
    return ids.map((id) => this.#names.get(id) ?? id);
  }
}

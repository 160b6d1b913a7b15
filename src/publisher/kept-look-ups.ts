// Networks' answers about the options of the lane's channels, cached for a while in the object's own storage.
import type { KeyValueStorage } from "../delivery/unwritten.ts";
import {
  LOOK_UP_LIFE_MS,
  type LookedUp,
  type LookUpAnswer,
  type LookUpRequest,
  nameOfRequest,
} from "../domain/option-lookup.ts";

const LOOK_UP = "look-up:";

export class KeptLookUps {
  readonly #storage: KeyValueStorage;
  /** Requests under way. Concurrent callers with the same request share its answer. */
  readonly #asked = new Map<string, Promise<LookUpAnswer>>();

  constructor(storage: KeyValueStorage) {
    this.#storage = storage;
  }

  /** Returns an answer that is still valid at `now` (epoch milliseconds), or null. */
  find(request: LookUpRequest, now: number): LookedUp | null {
    const cachedAnswer = this.#storage.kv.get<LookedUp>(LOOK_UP + nameOfRequest(request));
    return cachedAnswer !== undefined && isGood(cachedAnswer, now) ? cachedAnswer : null;
  }

  /** Asks the network again, and stores the answer. */
  ask(request: LookUpRequest, ask: () => Promise<LookUpAnswer>): Promise<LookUpAnswer> {
    const name = nameOfRequest(request);
    const underWay = this.#asked.get(name);
    if (underWay !== undefined) return underWay;
    const pendingAnswer = ask()
      .then((answer) => this.#keep(name, answer))
      .finally(() => this.#asked.delete(name));
    this.#asked.set(name, pendingAnswer);
    return pendingAnswer;
  }

  #keep(name: string, answer: LookUpAnswer): LookUpAnswer {
    if (answer.is !== "listed") return answer;
    const { kv } = this.#storage;
    for (const [key, cachedAnswer] of [...kv.list<LookedUp>({ prefix: LOOK_UP })])
      if (!isGood(cachedAnswer, answer.fetchedAt)) kv.delete(key);
    kv.put(LOOK_UP + name, answer);
    return answer;
  }
}

const isGood = ({ fetchedAt }: LookedUp, now: number): boolean => now < fetchedAt + LOOK_UP_LIFE_MS;

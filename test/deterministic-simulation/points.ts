// The calls of a world's ports. Each one waits for its turn and meets the fault that the plan has for it.
import { databaseError, QUERIES_MAX, TOO_MANY_QUERIES } from "./limits.ts";
import type { Point, Process, Verdict } from "./scheduler.ts";
import { readSubject } from "./subjects.ts";
import type { World } from "./world.ts";

const SPAN_MS = 5 * 60_000;

type PointOf = Pick<Point, "process" | "port" | "what" | "platform" | "n" | "irrevocable" | "struck"> & {
  started?: () => void;
};

export class Points {
  readonly #world: World;
  /** Calls that are still in progress although no process waits for them. */
  underway = 0;
  /** The most calls in any five minutes. */
  busiest = 0;
  #span = 0;
  #inSpan = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Carries out a point. */
  async work(point: Point, index: number): Promise<void> {
    const world = this.#world;
    const { process } = point;
    const span = Math.floor(world.scheduler.now / SPAN_MS);
    this.#inSpan = span === this.#span ? this.#inSpan + 1 : 1;
    this.#span = span;
    this.busiest = Math.max(this.busiest, this.#inSpan);
    if (point.port === "db" && ++process.queries > QUERIES_MAX) {
      world.note(`#${index} ${process.kind}${process.id} has no round trips to the database left`);
      return point.fail(new Error(TOO_MANY_QUERIES));
    }
    const { kind, verdict } = world.plan.decide(point, index);
    world.sealing.meet(point);
    const about = point.n === undefined || point.n === null ? "" : ` p${point.n}`;
    const name = `#${index} ${process.kind}${process.id} ${point.port} ${point.what}${about}`;
    world.note(verdict.is === "fine" ? name : `${name}  << ${kind}`);
    if (verdict.is !== "fine") {
      point.struck?.();
      world.inject(kind, {
        point,
        ms: this.#lasts(verdict),
        text: verdict.is === "lost" ? (verdict.text ?? null) : null,
      });
    }
    await this.#carryOut(point, verdict);
  }

  /** How long a fault lasts, or asks to wait, in milliseconds. */
  #lasts(verdict: Verdict): number {
    if ("ms" in verdict) return verdict.ms;
    const after = verdict.is === "answer" ? verdict.headers["retry-after"] : undefined;
    if (after === undefined) return 0;
    return Math.max(0, /^-?\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - this.#world.scheduler.now);
  }

  async #act(point: Point): Promise<() => void> {
    this.#world.acting = point.process;
    const deliver = await point.act();
    this.#world.acting = null;
    return deliver;
  }

  async #carryOut(point: Point, verdict: Verdict): Promise<void> {
    const world = this.#world;
    const { process } = point;
    const alive = (deliver: () => void) => () => {
      if (process.dead) return;
      if (process.frozenUntil > world.now()) world.scheduler.at(process.frozenUntil, alive(deliver));
      else deliver();
    };
    const lost = (when: "before" | "after", text?: string) => {
      if (text !== undefined) return new Error(text);
      if (point.port === "db") return new Error(databaseError(world.scheduler.now, when));
      return new Error(point.port === "wire" ? "fetch failed" : "Network connection lost.");
    };
    switch (verdict.is) {
      case "expired":
        if (point.platform !== undefined) world.networks.expire(point.platform);
        return this.#carryOut(point, { is: "fine" });
      case "freeze":
        world.scheduler.freeze(process, verdict.ms);
        world.killed(process);
        if (verdict.replaced) world.processes.replace(process);
        return this.#carryOut(point, { is: "fine" });
      case "replace":
        world.killed(process);
        world.processes.replace(process);
        return this.#carryOut(point, { is: "fine" });
      case "fine": {
        if (process.frozenUntil > world.now()) return world.scheduler.add(point);
        const deliver = await this.#act(point);
        // Half of the answers arrive at once, so that slow calls meet fast ones.
        if (world.inOrder || world.chance.happens(0.5)) deliver();
        else world.after(this.#latency(point), alive(deliver));
        return;
      }
      case "kill":
        if (verdict.when === "after") await this.#act(point);
        return world.processes.kill(process);
      case "lost":
        if (verdict.when === "after") await this.#act(point);
        return point.fail(lost(verdict.when, verdict.text));
      case "late":
        this.underway++;
        world.after(verdict.ms, async () => {
          await this.#act(point);
          this.underway--;
        });
        return point.fail(lost("after"));
      case "pause": {
        if (verdict.when === "after") return world.after(verdict.ms, alive(await this.#act(point)));
        return world.after(verdict.ms, () => world.scheduler.add(point));
      }
      case "answer":
      case "hang":
      case "missing":
        return point.misbehave(verdict);
    }
  }

  #latency({ port, platform = "" }: Point): number {
    if (port !== "wire") return this.#world.chance.between(1, this.#world.isPrompt ? 15 : 200);
    return this.#world.plan.latencyMs?.(platform) ?? this.#world.chance.between(1, this.#world.isPrompt ? 200 : 1_500);
  }

  /** Carries out `act` when its turn comes. */
  gate<Result>(
    { started, ...point }: PointOf,
    act: () => Result | Promise<Result>,
    misbehave?: (verdict: Verdict, done: (result: Result) => void, fail: (error: Error) => void) => Promise<void>,
  ): Promise<Result> {
    if (!this.#world.running) return (async () => act())();
    return new Promise<Result>((done, reject) => {
      // A time limit may wake a dead process, which makes no more calls.
      if (point.process.dead) return;
      const fail = (error: unknown) => reject(error);
      started?.();
      this.#world.scheduler.add({
        ...point,
        fail,
        subject: readSubject(),
        async act() {
          try {
            const result = await act();
            return () => done(result);
          } catch (error) {
            return () => fail(error);
          }
        },
        misbehave: async (verdict) => misbehave?.(verdict, done, fail),
      });
    });
  }

  async aside(process: Process, call: () => Promise<unknown>): Promise<void> {
    this.#world.acting = process;
    await call();
    this.#world.acting = null;
  }
}

// Tests one network with a real account: connects, posts a text, an image and a video, reads them back and takes them
// down. Only the connector is tested here. Other tests cover how the delivery engine handles crashes and refusals.
import type { Live, Outcome, ReconcileOutcome } from "../../src/domain/delivery/outcome.ts";
import { describeReason } from "../../src/domain/delivery/reason.ts";
import type { Json } from "../../src/domain/json.ts";
import { checkTarget } from "../../src/domain/posts/check-post.ts";
import type { VisualKind } from "../../src/domain/posts/platform-rule.ts";
import { effectivePostType, fileRule } from "../../src/domain/posts/post-target.ts";
import { applyTier } from "../../src/domain/posts/tier.ts";
import type { Account, ConnectorContext, Network, NetworkIO, Publication } from "../../src/networks/network.ts";
import { makeFile } from "./files.ts";
import type { LiveCheck } from "./live-check.ts";
import { InputError } from "./settings.ts";

/** How often a network is asked while it prepares, processes or hides a post. */
const ATTEMPTS_MAX = 40;
const ATTEMPTS_WHEN_STOPPED = 5;
const POLL_INTERVAL_MS = 3_000;
const WAIT_MAX_MS = 60_000;

/** A failure whose message a person reads. */
class Failed extends Error {
  override name = "Failed";
}
class Stopped extends Error {
  override name = "Stopped";
}

type ReasonedAnswer = { is: string; detail?: string; networkMessage?: string; error?: string };
const describeAnswer = (answer: ReasonedAnswer) =>
  [answer.is, answer.error, answer.detail, answer.networkMessage].filter((text) => text !== undefined).join(": ");

export async function checkNetwork(check: LiveCheck): Promise<void> {
  const { network, tell } = check;
  const { rule } = network;
  const attempt = async (subject: string, run: () => Promise<void>): Promise<boolean> => {
    try {
      await run();
      return true;
    } catch (error) {
      if (error instanceof InputError) tell({ subject, state: "failed", message: `not tried: ${error.message}` });
      else if (error instanceof Stopped) tell({ subject, state: "failed", message: "stopped" });
      else if (error instanceof Failed) tell({ subject, state: "failed", message: error.message });
      else
        tell({
          subject,
          state: "failed",
          message: `the connector threw an error: ${error instanceof Error ? error.stack : error}`,
        });
      return false;
    }
  };

  let session: Session | undefined;
  await attempt("connect", async () => {
    const account = await check.signIn();
    session = new Session(check, account);
    tell({ subject: "connect", state: "ok", message: `as ${account.handle}` });
  });
  if (session === undefined) return;
  const open = session;
  if (!(await attempt("options", () => open.readyOptions()))) return;
  const kinds: (VisualKind | null)[] = [
    ...(rule.min_media === 0 ? [null] : []),
    ...(rule.image === null || rule.media.images === 0 ? [] : (["image"] as const)),
    ...(rule.video === null || rule.media.videos === 0 ? [] : (["video"] as const)),
  ];
  for (const kind of kinds) {
    if (check.stopped()) break;
    await attempt(kind ?? "text", () => open.post(kind));
  }
}

/** Connects an account. Throws `Failed` if the network does not accept it. */
export async function connectWith(network: Network, input: Json, io: NetworkIO): Promise<Account<Json>> {
  const connected = await network.connect(input, io);
  if (connected.is === "connected") return connected;
  if (connected.is === "credentials_refused") throw new Failed(`${connected.message} ${connected.hint}`);
  throw new Failed(describeAnswer(connected));
}

/** Whether the network lets an app take down posts of this account. */
export const canTakeDown = ({ rule, takeDown }: Network, { tier }: Account<Json>): boolean =>
  takeDown !== undefined && applyTier(rule, tier ?? null).takedown;

class Session {
  readonly #check: LiveCheck;
  readonly #account: Account<Json>;
  #context: ConnectorContext<Json>;
  #options: Record<string, Json>;

  constructor(check: LiveCheck, account: Account<Json>) {
    this.#check = check;
    this.#account = account;
    this.#context = { credential: account.credential, io: check.io };
    this.#options = check.options;
    check.keepSecret(account);
  }

  /** Sets each missing option whose values the network lists to the first value. */
  async readyOptions(): Promise<void> {
    const { network, tell } = this.#check;
    const issues = network.options.safeParse(this.#options).error?.issues ?? [];
    for (const name of new Set(issues.map(({ path }) => String(path[0])))) {
      const variable = `${network.rule.platform.toUpperCase()}_OPTIONS`;
      const lookUp = network.lookUps?.[name];
      if (lookUp === undefined) throw new Failed(`the option ${name} is missing or wrong: set it in ${variable}`);
      const listed = await this.#runWithRenewal((context) => lookUp.list({}, context));
      const first =
        listed.is === "options" ? listed.options.find((option) => option.disabledReason === null) : undefined;
      if (listed.is !== "options") throw new Failed(`${name}: ${describeAnswer(listed)}`);
      if (first === undefined) throw new Failed(`the account offers no ${name}`);
      this.#options = { ...this.#options, [name]: first.value };
      tell({ subject: "options", state: "ok", message: `${name} is ${first.label}` });
    }
  }

  async post(kind: VisualKind | null): Promise<void> {
    const { network, remaining, tell } = this.#check;
    const subject = kind ?? "text";
    const publication = await this.#publication(kind);
    const startedAt = Date.now();
    const publishKey = await this.#prepare(publication);
    this.#throwIfStopped();
    // From here on the post may be live, whatever the network answers.
    const possiblePost = { subject, address: this.#account.profileUrl ?? this.#account.handle };
    remaining.add(possiblePost);
    const { live, publishKey: finalKey } = await this.#publish(publication, publishKey).catch((error: unknown) => {
      if (error instanceof Refused) remaining.delete(possiblePost);
      throw error;
    });
    remaining.delete(possiblePost);
    const livePost = { subject, address: live.url ?? `${possiblePost.address} (${live.id})` };
    remaining.add(livePost);
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
    tell({ subject, state: "ok", message: `live after ${seconds} s${live.url === null ? "" : `: ${live.url}`}` });
    if (live.note !== undefined) tell({ subject, state: "warning", message: live.note });
    const post = { id: live.id, publishKey: finalKey };
    try {
      await this.#recheck(subject, post);
    } finally {
      if (canTakeDown(network, this.#account) && (await this.#takeDown(subject, post))) remaining.delete(livePost);
    }
  }

  async #publication(kind: VisualKind | null): Promise<Publication<Json>> {
    const { network, publicFiles } = this.#check;
    const { rule } = network;
    const postType = effectivePostType({ rule, postType: null });
    const takesAlt = kind !== null && (fileRule({ rule, postType }, { kind, contentType: null })?.max_alt ?? 0) > 0;
    const media =
      kind === null ? [] : [await makeFile(kind, takesAlt ? "A check of Crier, soon deleted" : null, publicFiles)];
    const text = `A check of Crier, soon deleted (${kind ?? "text"}, ${new Date().toISOString()}): ü 中 👩‍👩‍👧 #crier`;
    const broken = checkTarget({
      channel: "live",
      rule,
      text,
      textField: "/text",
      media,
      mediaField: "/media",
      postType: null,
      optionsField: "/options",
      options: Object.keys(this.#options),
    });
    if (broken.length > 0) throw new Failed(broken.map(({ message }) => message).join(" "));
    return { text, media, postType, options: this.#options };
  }

  async #prepare(publication: Publication<Json>): Promise<Json> {
    const { network } = this.#check;
    let saved: Json = null;
    for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
      this.#throwIfStopped();
      const answer = await this.#runWithRenewal((context) =>
        network.prepare(publication, context, saved, async (publishKey) => {
          saved = publishKey;
        }),
      );
      if (answer.is === "prepared") return answer.publishKey;
      if (answer.is !== "retryable" || answer.retryAt === undefined)
        throw new Failed(`not prepared: ${describeAnswer(answer)}`);
      await this.#wait(answer.retryAt);
    }
    throw new Failed("the network did not finish preparing the post");
  }

  async #publish(publication: Publication<Json>, publishKey: Json): Promise<{ live: Live; publishKey: Json }> {
    const { network, tell, stopped } = this.#check;
    let currentKey = publishKey;
    let answer: Outcome | ReconcileOutcome = await this.#runWithRenewal((context) =>
      network.publish(publication, currentKey, context),
    );
    if (answer.is === "unknown") {
      tell({
        subject: "publish",
        state: "failed",
        message: `no clear answer: ${describeReason(answer)}; searching for the post`,
      });
    }
    for (let attempts = 0; attempts < (stopped() ? ATTEMPTS_WHEN_STOPPED : ATTEMPTS_MAX); attempts++) {
      if (answer.is === "live") return { live: answer, publishKey: currentKey };
      if (answer.is === "rejected" || answer.is === "void") throw new Refused(`refused: ${describeAnswer(answer)}`);
      if (answer.is === "retryable" && attempts === 0) throw new Refused(`postponed: ${describeAnswer(answer)}`);
      const { reconcile } = network;
      if (reconcile === undefined || (answer.is === "unknown" && answer.final)) break;
      if (answer.is === "processing") currentKey = answer.publishKey;
      await this.#wait(answer.is === "processing" ? answer.askAt : Date.now() + POLL_INTERVAL_MS);
      const keyOfAttempt: Json = currentKey;
      answer = await this.#runWithRenewal((context) => reconcile(keyOfAttempt, context));
    }
    throw new Failed(`the outcome is unknown: ${describeAnswer(answer)}`);
  }

  /** Networks may show a new post late, so a post that seems to be gone is read again for a while. */
  async #recheck(subject: string, post: { id: string; publishKey: Json }): Promise<void> {
    const { network, tell, stopped, callsSoFar } = this.#check;
    if (stopped()) return;
    const callsBefore = callsSoFar();
    let recheckOutcome = await network.recheck(post, this.#context);
    // The connector answered without a call, so waiting changes nothing: the network does not show such posts.
    const isHidden = recheckOutcome.is === "unknown" && callsSoFar() === callsBefore;
    for (let attempts = 0; attempts < ATTEMPTS_MAX / 4 && recheckOutcome.is !== "there" && !isHidden; attempts++) {
      await this.#wait(Date.now() + POLL_INTERVAL_MS);
      recheckOutcome = await network.recheck(post, this.#context);
    }
    if (recheckOutcome.is === "there") tell({ subject, state: "ok", message: "rechecked" });
    else
      tell({
        subject,
        state: isHidden ? "warning" : "failed",
        message: `not found by the recheck: ${describeAnswer(recheckOutcome)}`,
      });
    const { readMetrics } = network;
    if (readMetrics === undefined) return;
    const read = await readMetrics(post, this.#context);
    if (read.is === "read") tell({ subject, state: "ok", message: `figures: ${JSON.stringify(read.metrics)}` });
    else tell({ subject, state: "warning", message: `no figures yet: ${describeAnswer(read)}` });
  }

  /** Returns whether the post is gone. */
  async #takeDown(subject: string, post: { id: string; publishKey: Json }): Promise<boolean> {
    const { network, tell } = this.#check;
    const { takeDown } = network;
    if (takeDown === undefined) return false;
    for (let tries = 0; ; tries++) {
      const answer = await this.#runWithRenewal((context) => takeDown(post, context));
      const recheckOutcome = answer.is === "taken_down" ? null : await network.recheck(post, this.#context);
      if (recheckOutcome === null || recheckOutcome.is === "gone") break;
      const isTemporary = answer.is === "retryable" || answer.is === "unknown" || answer.is === "missing";
      if (!isTemporary || tries === 2) {
        tell({ subject, state: "failed", message: `not taken down: ${describeAnswer(answer)}` });
        return false;
      }
      await this.#check.pause(POLL_INTERVAL_MS);
    }
    tell({ subject, state: "ok", message: "taken down" });
    return true;
  }

  /** Runs a step. If the network refuses the access token, the token is renewed once and the step is repeated. */
  async #runWithRenewal<Answer extends ReasonedAnswer>(
    step: (context: ConnectorContext<Json>) => Promise<Answer>,
  ): Promise<Answer> {
    const first = await step(this.#context);
    const { network, tell, keepSecret } = this.#check;
    if (first.is !== "unauthorized" || network.refresh === undefined) return first;
    const renewed = await network.refresh(this.#context);
    if (renewed.is !== "fresh")
      throw new Failed(`the network refused the access token, and it was not renewed: ${describeAnswer(renewed)}`);
    keepSecret({ ...this.#account, credential: renewed.credential });
    this.#context = { ...this.#context, credential: renewed.credential };
    tell({ subject: "connect", state: "warning", message: "the network refused the access token, so it was renewed" });
    return step(this.#context);
  }

  /** Throws if the person has stopped the check. */
  #throwIfStopped(): void {
    if (this.#check.stopped()) throw new Stopped();
  }

  /** Waits until `untilMs` (epoch milliseconds), but at most a minute, because networks choose these times. */
  #wait(untilMs: number): Promise<void> {
    return this.#check.pause(Math.min(Math.max(untilMs - Date.now(), POLL_INTERVAL_MS / 3), WAIT_MAX_MS));
  }
}

/** The network's answer proves that nothing is live. */
class Refused extends Failed {}

// Tries one network with a real account: connects, posts a text, a picture and a video, reads them back and takes them down.
// Only the connector is tried here. Other tests cover what the delivery engine does with crashes and refusals.
import type { Live, Outcome, ReconcileOutcome } from "../../src/domain/delivery/outcome.ts";
import { describeReason } from "../../src/domain/delivery/reason.ts";
import type { Json } from "../../src/domain/json.ts";
import { checkTarget } from "../../src/domain/posts/check-post.ts";
import type { MediaKind } from "../../src/domain/posts/platform-rule.ts";
import { effectivePostType, fileRule } from "../../src/domain/posts/post-target.ts";
import type { Account, ConnectorContext, Network, NetworkIO, Publication } from "../../src/networks/network.ts";
import { fileOf, type Shelf } from "./files.ts";
import { NotSet } from "./settings.ts";

export interface Finding {
  what: string;
  /** `warning`: to be known, and nothing of Crier's is wrong. */
  state: "ok" | "warning" | "failed";
  says: string;
}

/** A post that is on the network, or may be. */
export interface Left {
  what: string;
  where: string;
}

export interface LiveCheck {
  network: Network;
  io: NetworkIO;
  /** The account; what it throws is a finding. */
  signIn(): Promise<Account<Json>>;
  /** How many calls were made. */
  callsSoFar(): number;
  options: Record<string, Json>;
  shelf: Shelf | null;
  /** Ends when the time is over, or the person has had enough. */
  pause(ms: number): Promise<void>;
  /** The person has had enough: what was posted is taken down, and nothing more is posted. */
  stopped(): boolean;
  tell(finding: Finding): void;
  /** Posts that are out now; those that are left at the end are what the person must know of. */
  left: Set<Left>;
  /** Learns of credentials, which nobody must read. */
  keepSecret(account: Account<Json>): void;
}

/** How long a network may prepare, process or hide a post, asked this often. */
const ASKED_AT_MOST = 40;
const ASKED_WHEN_STOPPED = 5;
const ASK_EVERY_MS = 3_000;
const ASK_WITHIN_MS = 60_000;

/** What went wrong, as a person reads it. */
class Failed extends Error {
  override name = "Failed";
}
class Stopped extends Error {
  override name = "Stopped";
}

type Said = { is: string; detail?: string; networkMessage?: string; error?: string };
const inWords = (answer: Said) =>
  [answer.is, answer.error, answer.detail, answer.networkMessage].filter((part) => part !== undefined).join(": ");

export async function checkNetwork(check: LiveCheck): Promise<void> {
  const { network, tell } = check;
  const { rule } = network;
  const attempt = async (what: string, doing: () => Promise<void>): Promise<boolean> => {
    try {
      await doing();
      return true;
    } catch (error) {
      if (error instanceof NotSet) tell({ what, state: "failed", says: `not tried: ${error.message}` });
      else if (error instanceof Stopped) tell({ what, state: "failed", says: "stopped" });
      else if (error instanceof Failed) tell({ what, state: "failed", says: error.message });
      else
        tell({ what, state: "failed", says: `the connector broke: ${error instanceof Error ? error.stack : error}` });
      return false;
    }
  };

  let session: Session | undefined;
  await attempt("connect", async () => {
    const account = await check.signIn();
    session = new Session(check, account);
    tell({ what: "connect", state: "ok", says: `as ${account.handle}` });
  });
  if (session === undefined) return;
  const open = session;
  if (!(await attempt("options", () => open.readyOptions()))) return;
  const kinds: (MediaKind | null)[] = [
    ...(rule.min_media === 0 ? [null] : []),
    ...(rule.image === null || rule.media.images === 0 ? [] : (["image"] as const)),
    ...(rule.video === null || rule.media.videos === 0 ? [] : (["video"] as const)),
  ];
  for (const kind of kinds) {
    if (check.stopped()) break;
    await attempt(kind ?? "text", () => open.post(kind));
  }
}

/** Finds nothing wrong with the account that a network gave. Throws `Failed`. */
export async function connectWith(network: Network, input: Json, io: NetworkIO): Promise<Account<Json>> {
  const connected = await network.connect(input, io);
  if (connected.is === "connected") return connected;
  if (connected.is === "credentials_refused") throw new Failed(`${connected.message} ${connected.hint}`);
  throw new Failed(inWords(connected));
}

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

  /** Fills in what the network cannot do without and lists itself: the first of its values. */
  async readyOptions(): Promise<void> {
    const { network, tell } = this.#check;
    const wanted = network.options.safeParse(this.#options).error?.issues ?? [];
    for (const name of new Set(wanted.map(({ path }) => String(path[0])))) {
      const variable = `${network.rule.platform.toUpperCase()}_OPTIONS`;
      const lookUp = network.lookUps?.[name];
      if (lookUp === undefined) throw new Failed(`the option ${name} is missing or wrong: say it in ${variable}`);
      const listed = await this.#fresh((context) => lookUp.list({}, context));
      const first = listed.is === "options" ? listed.options.find((one) => one.disabledReason === null) : undefined;
      if (listed.is !== "options") throw new Failed(`${name}: ${inWords(listed)}`);
      if (first === undefined) throw new Failed(`the account has no ${name} to choose`);
      this.#options = { ...this.#options, [name]: first.value };
      tell({ what: "options", state: "ok", says: `${name} is ${first.label}` });
    }
  }

  async post(kind: MediaKind | null): Promise<void> {
    const { network, left, tell } = this.#check;
    const what = kind ?? "text";
    const publication = await this.#publication(kind);
    const begun = Date.now();
    const publishKey = await this.#prepare(publication);
    this.#goOn();
    // From here on it may be out, whatever is heard of it.
    const mayBe = { what, where: this.#account.profileUrl ?? this.#account.handle };
    left.add(mayBe);
    const { live, publishKey: asked } = await this.#publish(publication, publishKey).catch((error: unknown) => {
      if (error instanceof Refused) left.delete(mayBe);
      throw error;
    });
    left.delete(mayBe);
    const out = { what, where: live.url ?? `${mayBe.where} (${live.id})` };
    left.add(out);
    const seconds = ((Date.now() - begun) / 1_000).toFixed(1);
    tell({ what, state: "ok", says: `live after ${seconds} s${live.url === null ? "" : `: ${live.url}`}` });
    if (live.note !== undefined) tell({ what, state: "warning", says: live.note });
    const post = { id: live.id, publishKey: asked };
    try {
      await this.#readBack(what, post);
    } finally {
      if (network.takeDown !== undefined && (await this.#takeDown(what, post))) left.delete(out);
    }
  }

  async #publication(kind: MediaKind | null): Promise<Publication<Json>> {
    const { network, shelf } = this.#check;
    const { rule } = network;
    const postType = effectivePostType({ rule, postType: null });
    const takesAlt = kind !== null && (fileRule({ rule, postType }, { kind, contentType: null })?.max_alt ?? 0) > 0;
    const media = kind === null ? [] : [await fileOf(kind, takesAlt ? "A check of Crier, soon gone" : null, shelf)];
    const text = `A check of Crier, soon gone (${kind ?? "text"}, ${new Date().toISOString()}): ü 中 👩‍👩‍👧 #crier`;
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
    for (let asked = 0; asked < ASKED_AT_MOST; asked++) {
      this.#goOn();
      const answer = await this.#fresh((context) =>
        network.prepare(publication, context, saved, async (publishKey) => {
          saved = publishKey;
        }),
      );
      if (answer.is === "prepared") return answer.publishKey;
      if (answer.is !== "retryable" || answer.retryAt === undefined) throw new Failed(`not ready: ${inWords(answer)}`);
      await this.#wait(answer.retryAt);
    }
    throw new Failed("the network was still preparing it");
  }

  async #publish(publication: Publication<Json>, publishKey: Json): Promise<{ live: Live; publishKey: Json }> {
    const { network, tell, stopped } = this.#check;
    let asked = publishKey;
    let answer: Outcome | ReconcileOutcome = await this.#fresh((context) =>
      network.publish(publication, asked, context),
    );
    if (answer.is === "unknown") {
      tell({
        what: "publish",
        state: "failed",
        says: `no clear answer: ${describeReason(answer)}; now it is looked for`,
      });
    }
    for (let times = 0; times < (stopped() ? ASKED_WHEN_STOPPED : ASKED_AT_MOST); times++) {
      if (answer.is === "live") return { live: answer, publishKey: asked };
      if (answer.is === "rejected" || answer.is === "void") throw new Refused(`refused: ${inWords(answer)}`);
      if (answer.is === "retryable" && times === 0) throw new Refused(`put off: ${inWords(answer)}`);
      const { reconcile } = network;
      if (reconcile === undefined || (answer.is === "unknown" && answer.final)) break;
      if (answer.is === "processing") asked = answer.publishKey;
      await this.#wait(answer.is === "processing" ? answer.askAt : Date.now() + ASK_EVERY_MS);
      const now: Json = asked;
      answer = await this.#fresh((context) => reconcile(now, context));
    }
    throw new Failed(`nobody knows what became of it: ${inWords(answer)}`);
  }

  /** Networks show a new post after a while; a post that is said to be gone within this time may still come. */
  async #readBack(what: string, post: { id: string; publishKey: Json }): Promise<void> {
    const { network, tell, stopped, callsSoFar } = this.#check;
    if (stopped()) return;
    const callsBefore = callsSoFar();
    let seen = await network.verify(post, this.#context);
    // What the connector says without a question no wait will change: the network shows such posts to nobody.
    const isHidden = seen.is === "unknown" && callsSoFar() === callsBefore;
    for (let asked = 0; asked < ASKED_AT_MOST / 4 && seen.is !== "there" && !isHidden; asked++) {
      await this.#wait(Date.now() + ASK_EVERY_MS);
      seen = await network.verify(post, this.#context);
    }
    if (seen.is === "there") tell({ what, state: "ok", says: "read back" });
    else tell({ what, state: isHidden ? "warning" : "failed", says: `not read back: ${inWords(seen)}` });
    const { readMetrics } = network;
    if (readMetrics === undefined) return;
    const read = await readMetrics(post, this.#context);
    if (read.is === "read") tell({ what, state: "ok", says: `its figures: ${JSON.stringify(read.metrics)}` });
    else tell({ what, state: "warning", says: `no figures yet: ${inWords(read)}` });
  }

  /** True: it is gone. */
  async #takeDown(what: string, post: { id: string; publishKey: Json }): Promise<boolean> {
    const { network, tell } = this.#check;
    const { takeDown } = network;
    if (takeDown === undefined) return false;
    for (let tries = 0; ; tries++) {
      const answer = await this.#fresh((context) => takeDown(post, context));
      const seen = answer.is === "taken_down" ? null : await network.verify(post, this.#context);
      if (seen === null || seen.is === "gone") break;
      const passes = answer.is === "retryable" || answer.is === "unknown" || answer.is === "missing";
      if (!passes || tries === 2) {
        tell({ what, state: "failed", says: `not taken down: ${inWords(answer)}` });
        return false;
      }
      await this.#check.pause(ASK_EVERY_MS);
    }
    tell({ what, state: "ok", says: "taken down" });
    return true;
  }

  /** What a step ends in; a refused access token is renewed once. */
  async #fresh<Answer extends Said>(step: (context: ConnectorContext<Json>) => Promise<Answer>): Promise<Answer> {
    const first = await step(this.#context);
    const { network, tell, keepSecret } = this.#check;
    if (first.is !== "unauthorized" || network.refresh === undefined) return first;
    const renewed = await network.refresh(this.#context);
    if (renewed.is !== "fresh") throw new Failed(`the token ended, and was not renewed: ${inWords(renewed)}`);
    keepSecret({ ...this.#account, credential: renewed.credential });
    this.#context = { ...this.#context, credential: renewed.credential };
    tell({ what: "connect", state: "warning", says: "the token had ended and was renewed" });
    return step(this.#context);
  }

  /** Nothing more is begun once the person has had enough. */
  #goOn(): void {
    if (this.#check.stopped()) throw new Stopped();
  }

  /** Waits until `at` (epoch milliseconds), a minute at most: networks name times of their own. */
  #wait(at: number): Promise<void> {
    return this.#check.pause(Math.min(Math.max(at - Date.now(), ASK_EVERY_MS / 3), ASK_WITHIN_MS));
  }
}

/** The network's word that nothing is out. */
class Refused extends Failed {}

// A network as Crier sees it: its rule as data, and a connector that publishes in steps. One folder per network.
import type * as z from "zod";
import type { VersionRule } from "../domain/api-version.ts";
import type { OptionKind } from "../domain/delivery/follow-up-moves.ts";
import type {
  Added,
  Commented,
  Edited,
  NotFound,
  NotPublished,
  Outcome,
  PrepareOutcome,
  RecheckOutcome,
  ReconcileOutcome,
  Rejected,
  Retryable,
  TakenDown,
  Unauthorized,
  Unknown,
} from "../domain/delivery/outcome.ts";
import type { Accepted } from "../domain/delivery/readback.ts";
import type { Json } from "../domain/json.ts";
import type { Metrics } from "../domain/metrics.ts";
import type { OptionValue } from "../domain/option-lookup.ts";
import type { OptionProblem, PostShape } from "../domain/posts/option-problem.ts";
import type { PlatformRule, PostType } from "../domain/posts/platform-rule.ts";
import type { Poll } from "../domain/posts/poll.ts";
import type { PostMode } from "../domain/posts/post-mode.ts";
import type { Connected, Consent, ConsentByHandle } from "./account.ts";
import type { CaptionsFile, MediaFile } from "./media-file.ts";
import type { NetworkIO } from "./network-io.ts";

export type * from "./account.ts";
export type * from "./network-io.ts";

/** The posts that a thread part replies to: `root` is the first post of the thread, `parent` the previous part. */
export interface ReplyTo<PublishKey> {
  root: Published<PublishKey>;
  parent: Published<PublishKey>;
  /** The network's ids of all earlier parts, in order. */
  before: string[];
}

/** The content that goes out on one channel: final text, files in order, and the network's own options. */
export interface Publication<Options, PublishKey = Json> {
  text: string;
  media: MediaFile[];
  /** The thumbnail of its video; only for networks whose rule has `thumbnail`. */
  thumbnail?: MediaFile;
  /** The captions of its video; only for networks whose rule has `captions`. */
  captions?: CaptionsFile[];
  /** Only for networks whose rule has `poll`, and only in the post itself. */
  poll?: Poll;
  postType: PostType;
  /** The options of the post; a thread part uses only those that apply to every part. */
  options: Options;
  /** Absent for the post itself. Only for networks whose rule has `thread`. */
  replyTo?: ReplyTo<PublishKey>;
}

/** A connector's context while it works for one channel. */
export interface ConnectorContext<Credential> {
  credential: Credential;
  io: NetworkIO;
}

/** A field of the form by which an account's owner connects it. */
export interface LinkFormField {
  /** The credential's name in `connectInput`. */
  name: string;
  label: string;
  hint: string;
  /** Whether it is typed without being shown. */
  isSecret: boolean;
}
/** What a connect link asks an account's owner for, if the network has no page for their consent. */
export interface LinkForm {
  fields: readonly LinkFormField[];
  /** What the owner has to do. `publisher`: who posts with the credentials that came with the link; null: nobody yet. */
  steps(publisher: string | null): string[];
  /** Finds out who posts with these credentials; null if the network does not accept them. */
  findPublisher?(credentials: Record<string, string>, io: NetworkIO): Promise<string | null>;
}

/** A network's metrics of a post; a metric that it does not report is absent. */
export type MetricsOutcome = { is: "read"; metrics: Metrics } | Unknown;

/** An account's choices for an option, in the order in which to offer them. */
export type OptionsOutcome = { is: "options"; options: OptionValue[] } | Retryable | Rejected | Unauthorized;

/** The list of values of one option. */
export interface LookUp<Credential> {
  /** Other options whose values the list depends on. */
  needs?: readonly string[];
  /** The network itself searches for `q`, which is in the values; without it, the list is a choice of the network's. */
  searches?: true;
  list(values: Record<string, string>, context: ConnectorContext<Credential>): Promise<OptionsOutcome>;
}
/** By the option's name. */
export type LookUps<Credential> = Record<string, LookUp<Credential>>;

/** Why a post would not go out now; null if no reason is known. */
export type Foreseen = Retryable | Rejected | Unauthorized | null;

/** A live post. `publishKey` is null if it was lost. */
export interface Published<PublishKey> {
  id: string;
  publishKey: PublishKey | null;
}

/** The new text of a live post, and the rest of the content that it was published with. */
export interface TextEdit<Options> {
  text: string;
  /** The number of files. */
  files: number;
  options: Options;
}

/** The first comment under a post: a separate call, which is made only once, even if it fails. */
export interface FirstComment<Credential, PublishKey> {
  /** Prepares the comment, for networks that publish it like a post. Harmless; `ready`: the last saved state. */
  prepare?(
    published: Published<PublishKey>,
    text: string,
    context: ConnectorContext<Credential>,
    ready: Json | null,
    save: (publishKey: Json) => Promise<void>,
  ): Promise<PrepareOutcome>;
  /** The one call that publishes it. */
  publish(
    published: Published<PublishKey>,
    text: string,
    ready: Json | null,
    context: ConnectorContext<Credential>,
  ): Promise<Commented>;
  /** Searches for a comment whose answer was lost; absent if the network does not show comments. */
  find?(
    published: Published<PublishKey>,
    text: string,
    ready: Json | null,
    context: ConnectorContext<Credential>,
  ): Promise<Commented>;
}

/** An addition's input: the value of its option, and the files that the option names. */
export interface AdditionWish<Value> {
  value: Value;
  /** The image of `thumbnail_media`. */
  file?: MediaFile;
  captions?: CaptionsFile[];
}

/** An option that is carried out once the post is live: a separate call, which is made only once, even if it fails. */
export interface Addition<Credential, PublishKey> {
  add(
    published: Published<PublishKey>,
    wish: AdditionWish<Json>,
    context: ConnectorContext<Credential>,
  ): Promise<Added>;
  /** Whether the network shows the result of a call whose answer was lost; absent if it does not show it. */
  isThere?(
    published: Published<PublishKey>,
    wish: AdditionWish<Json>,
    context: ConnectorContext<Credential>,
  ): Promise<Added | NotFound>;
}
/** By the option's name. */
export type AdditionsOf<Credential, PublishKey> = Partial<
  Record<Exclude<OptionKind, "first_comment">, Addition<Credential, PublishKey>>
>;

/** `rejected`: the credential is discarded, except for `permission_missing`, which the owner can fix at the network. */
export type Refreshed<Credential> = { is: "fresh"; credential: Credential } | Rejected | Retryable;

export interface NetworkDefinition<Credential, Options, PublishKey> {
  rule: PlatformRule;
  /** Absent if no setting names a version of its API. */
  versions?: VersionRule;
  /** The schema of the input that connects a channel. */
  connectInput: z.ZodType;
  options: z.ZodType<Options>;
  credential: z.ZodType<Credential>;
  publishKey: z.ZodType<PublishKey>;
  /** Finds values of options that do not fit the post's files or type, where the rule cannot express this. */
  checkOptions?(options: Options, post: PostShape, now: number): OptionProblem[];
  /** Whether it fetches all files itself, by their addresses, so that no file is sent to it. */
  fetchesFiles?: true;
  /** For networks that can publish in more than one way. */
  modeOf?(options: Options): PostMode;
  /**
   * How many milliseconds the irrevocable call may take. If a session has not ended half a minute after that, its delivery is
   * reconciled.
   */
  publishTimeoutMs: number;
  /** Milliseconds before the same publish key may be published again after an unknown outcome; null: never. */
  republishAfterMs: number | null;
  /** Checks credentials that a user supplies with the network itself. */
  connect(input: Json, io: NetworkIO): Promise<Connected<Credential>>;
  /** For networks whose accounts are connected with credentials. */
  linkForm?: LinkForm;
  /** For networks whose accounts are connected by a user's consent. */
  consent?: Consent<Credential>;
  /** For networks whose accounts can be connected by a user's consent at the server of their account. */
  consentByHandle?: ConsentByHandle<Credential>;
  /** The consent of each way in the rule's `connect_ways`. */
  consentWays?: Record<string, Consent<Credential>>;
  /** When the credential must be renewed (epoch milliseconds), with time for the longest upload; null: never. */
  refreshAt?(credential: Credential): number | null;
  /** When the access token that a renewal replaces expires (epoch milliseconds); null if unknown. */
  endsAt?(credential: Credential): number | null;
  /** Renews the credential. A network blip is `retryable`; only the network's own answer is `rejected`. */
  refresh?(context: ConnectorContext<Credential>): Promise<Refreshed<Credential>>;
  /**
   * Prepares a post and determines its publish key. Publishes nothing, and is repeated after a crash with the last saved key.
   * `save` makes a key durable and may be called at every checkpoint.
   */
  prepare(
    publication: Publication<Options, PublishKey>,
    context: ConnectorContext<Credential>,
    publishKey: PublishKey | null,
    save: (publishKey: PublishKey) => Promise<void>,
  ): Promise<PrepareOutcome>;
  /** The one irrevocable call. */
  publish(
    publication: Publication<Options, PublishKey>,
    publishKey: PublishKey,
    context: ConnectorContext<Credential>,
  ): Promise<Outcome>;
  /** Asks about a publish key whose publish had no answer, or is still processing; absent if the network cannot be asked. */
  reconcile?(publishKey: PublishKey, context: ConnectorContext<Credential>): Promise<ReconcileOutcome>;
  /**
   * Asks the network ahead of time for reasons that would stop a post, such as a used-up quota; null if there is no reason.
   * Harmless. Absent if the network reports nothing ahead of time.
   */
  foresee?(publication: Publication<Options>, context: ConnectorContext<Credential>): Promise<Foreseen>;
  /** Rechecks a published post: whether it exists, its address, and with `accepted` whether its content is unchanged. */
  recheck(
    published: Published<PublishKey>,
    context: ConnectorContext<Credential>,
    accepted?: Accepted,
  ): Promise<RecheckOutcome>;
  /** Takes a published post down; harmless to repeat. Absent if an app may not do that. */
  takeDown?(published: Published<PublishKey>, context: ConnectorContext<Credential>): Promise<TakenDown>;
  /**
   * A recheck cannot read the content of a post: it only knows how the answer to the last call differed from what was sent.
   */
  comparesAnswers?: true;
  /** Sets the text of a published post; harmless to repeat. Absent if an app may not do that. */
  editText?(
    published: Published<PublishKey>,
    edit: TextEdit<Options>,
    context: ConnectorContext<Credential>,
  ): Promise<Edited>;
  /**
   * Options whose values the network lists for an account, marked with `x-lookup` in their schema, and the rule's
   * `text_lookup`.
   */
  lookUps?: LookUps<Credential>;
  /** Writes the option `first_comment` under a published post; absent if the network has no such option. */
  firstComment?: FirstComment<Credential, PublishKey>;
  /** Options that are carried out once the post is live. */
  additions?: AdditionsOf<Credential, PublishKey>;
  /** Reads the metrics of a published post; absent if the network reports none. */
  readMetrics?(published: Published<PublishKey>, context: ConnectorContext<Credential>): Promise<MetricsOutcome>;
}

/** A network as general code uses it. Its own types are replaced by JSON, which is validated before the network gets it. */
export interface Network extends NetworkDefinition<Json, Json, Json> {}

export const NOT_PUBLISHED: NotPublished = { is: "not_published" };

// What a network is to Crier: its rule as data, and a connector that publishes in steps. One folder per network.
import type * as z from "zod";
import type { VersionRule } from "../domain/api-version.ts";
import type {
  Added,
  Commented,
  NotFound,
  NotPublished,
  Outcome,
  PrepareOutcome,
  ReconcileOutcome,
  Rejected,
  Retryable,
  TakenDown,
  Unauthorized,
  Unknown,
  VerifyOutcome,
} from "../domain/delivery/outcome.ts";
import type { Accepted } from "../domain/delivery/readback.ts";
import type { Json } from "../domain/json.ts";
import type { Metrics } from "../domain/metrics.ts";
import type { OptionValue } from "../domain/option-lookup.ts";
import type { MediaKind, PlatformRule, PostType } from "../domain/posts/platform-rule.ts";
import type { MediaFile } from "./media-file.ts";

/** The app that this deployment is registered as with a network. */
export interface App {
  clientId: string;
  clientSecret: string;
  /** What to ask consent for (`<PLATFORM>_SCOPES`); null: the usual scopes. */
  scopes: string[] | null;
}

/** The outside world as a connector may use it. */
export interface NetworkIO {
  /** null: this deployment has none for the network. */
  app: App | null;
  /** The version of the API that calls name; absent: the built-in one of its rule. */
  apiVersion?: string;
  /** Calls one of the network's own hosts. In the sandbox the call goes to the simulator of that network. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Calls an address that a user or another server named: refused (`BlockedAddress` is thrown) unless it is public. */
  fetchPublic(url: string, init?: RequestInit): Promise<Response>;
  /** The parts of an upload are so many times smaller than usual: 1, but for tests, which need no large files then. */
  partsDivisor: number;
  /** Epoch milliseconds. */
  now(): number;
  /** Ends after `ms` milliseconds: for seconds at most, and never while a post is being sent. */
  wait(ms: number): Promise<void>;
  /** `length` random bytes. */
  random(length: number): Uint8Array<ArrayBuffer>;
  /**
   * A body of known length from a stream, or from pieces of bytes and streams one after the other, so that the request
   * carries Content-Length and is never buffered.
   */
  sized(
    source: ReadableStream<Uint8Array> | AsyncGenerator<Uint8Array | ReadableStream<Uint8Array>>,
    bytes: number,
  ): ReadableStream<Uint8Array>;
}

/** What a part of a thread replies to: the part before it, in the thread that the post itself began. */
export interface ReplyTo<Handle> {
  root: Published<Handle>;
  parent: Published<Handle>;
  /** The network's ids of all parts before it, in their order. */
  before: string[];
}

/** What goes out on one channel: final text, files in order, and the network's own options. */
export interface Publication<Options, Handle = Json> {
  text: string;
  media: MediaFile[];
  /** The picture of its video; only networks whose rule has `thumbnail` get one. */
  thumbnail?: MediaFile;
  postType: PostType;
  /** Of the post: a part of its thread takes those of them that are of every part. */
  options: Options;
  /** Absent: it is the post itself. Only networks whose rule has `thread` get any. */
  replyTo?: ReplyTo<Handle>;
}

/** What a connector holds while it works for one channel. */
export interface ConnectorContext<Credential> {
  credential: Credential;
  io: NetworkIO;
}

export interface Account<Credential> {
  is: "connected";
  /** The network's lasting id of the account; the handle may change. */
  accountId: string;
  handle: string;
  name: string | null;
  avatarUrl: string | null;
  profileUrl: string | null;
  credential: Credential;
  /** Epoch milliseconds after which the channel needs a user; null when it renews itself or never expires. */
  tokenExpiresAt: number | null;
  /** Optional permissions of the network's rule that were not granted; absent: nobody said what was granted. */
  missingPermissions?: string[];
}
export interface CredentialsRefused {
  is: "credentials_refused";
  /** JSON pointer below `credentials`, as `/app_password`. */
  field: string;
  message: string;
  hint: string;
  /** What the network said, as it said it. */
  networkMessage?: string;
}
export type Connected<Credential> = Account<Credential> | CredentialsRefused | Retryable;

/** What a user's consent led to: the accounts that the grant covers, in the order in which to offer them. */
export interface Granted<Credential> {
  is: "granted";
  accounts: Account<Credential>[];
  /** How many more it covers, which cannot be offered; absent: none. */
  leftOut?: number;
}
export interface GrantRefused {
  is: "grant_refused";
  message: string;
  hint: string;
  /** What the network said, as it said it. */
  networkMessage?: string;
}

/** Sign-in by a user at the network (OAuth 2 authorization code). */
export interface Consent<Credential> {
  /** The address that a user opens. `challenge` is the S256 PKCE challenge, for networks that take one. */
  address(
    app: App,
    request: { redirectUri: string; state: string; challenge: string; apiVersion?: string | undefined },
  ): string;
  /** Exchanges the code that came back and reads which accounts the grant covers. */
  exchange(
    reply: { code: string; redirectUri: string; verifier: string },
    app: App,
    io: NetworkIO,
  ): Promise<Granted<Credential> | GrantRefused | Retryable>;
}

/** What a network reports of a post; a metric that it does not report is absent. */
export type MetricsOutcome = { is: "read"; metrics: Metrics } | Unknown;

/** What a network offers for an option of an account, in the order in which to offer it. */
export type OptionsOutcome = { is: "options"; options: OptionValue[] } | Retryable | Rejected | Unauthorized;

/** The list of values of one option. */
export interface LookUp<Credential> {
  /** Other options whose values it depends on. */
  needs?: readonly string[];
  list(values: Record<string, string>, context: ConnectorContext<Credential>): Promise<OptionsOutcome>;
}
/** By the option's name. */
export type LookUps<Credential> = Record<string, LookUp<Credential>>;

/** Why a post would not go out as things are; null: nothing is known that would keep it. */
export type Foreseen = Retryable | Rejected | Unauthorized | null;

/** What a post asks for, by its options, beyond what the rule says of all posts. */
export interface PostMode {
  /** The optional permission of the rule that it needs. */
  permission: string;
  /** The option that chooses it. */
  option: string;
  /** Whether the network takes its text with files of this kind. */
  takesTextWith(kind: MediaKind): boolean;
}

/** A post that is out. `handle` null: it was lost. */
export interface Published<Handle> {
  id: string;
  handle: Handle | null;
}

/** The first comment under a post: a call of its own, made once, whatever becomes of it. */
export interface FirstComment<Credential, Handle> {
  /** Makes it ready, for networks that publish a comment like a post. Harmless; `ready`: what was saved last. */
  prepare?(
    published: Published<Handle>,
    text: string,
    context: ConnectorContext<Credential>,
    ready: Json | null,
    save: (handle: Json) => Promise<void>,
  ): Promise<PrepareOutcome>;
  /** The one call that publishes it. */
  publish(
    published: Published<Handle>,
    text: string,
    ready: Json | null,
    context: ConnectorContext<Credential>,
  ): Promise<Commented>;
  /** Looks for one whose answer was lost; absent: the network does not show it. */
  find?(
    published: Published<Handle>,
    text: string,
    ready: Json | null,
    context: ConnectorContext<Credential>,
  ): Promise<Commented>;
}

/** What an option asks of its addition: its value, and the image that it names, where it names one. */
export interface AdditionWish<Value> {
  value: Value;
  file?: MediaFile;
}

/** An option that is carried out once the post is live: a call of its own, made once, whatever becomes of it. */
export interface Addition<Credential, Handle> {
  add(published: Published<Handle>, wish: AdditionWish<Json>, context: ConnectorContext<Credential>): Promise<Added>;
  /** Whether the network shows it, after an answer that was lost; absent: it does not show it. */
  isThere?(
    published: Published<Handle>,
    wish: AdditionWish<Json>,
    context: ConnectorContext<Credential>,
  ): Promise<Added | NotFound>;
}
/** By the option's name, in the order in which they are made. */
export type AdditionsOf<Credential, Handle> = Record<string, Addition<Credential, Handle>>;

/** `rejected`: the credential is given up, unless the error is `permission_missing`, which its owner settles at the network. */
export type Refreshed<Credential> = { is: "fresh"; credential: Credential } | Rejected | Retryable;

export interface NetworkDefinition<Credential, Options, Handle> {
  rule: PlatformRule;
  /** Absent: no setting names a version of its API. */
  versions?: VersionRule;
  /** The input with which a channel is connected. */
  connectInput: z.ZodType;
  options: z.ZodType<Options>;
  credential: z.ZodType<Credential>;
  handle: z.ZodType<Handle>;
  /** Whether it fetches all files itself, by their addresses: none is sent to it. */
  fetchesFiles?: true;
  /** For networks that post in more than one way. */
  modeOf?(options: Options): PostMode;
  /** Milliseconds that the irrevocable call may take. One whose session has ended is looked into half a minute after them. */
  publishTimeoutMs: number;
  /** Milliseconds after a publish of unknown outcome before the same handle may be published again; null: never. */
  republishAfterMs: number | null;
  /** Checks what somebody hands over with the network itself. */
  connect(input: Json, io: NetworkIO): Promise<Connected<Credential>>;
  /** For networks whose accounts are connected by a user's consent. */
  consent?: Consent<Credential>;
  /** When the credential is to be renewed (epoch milliseconds), with room for the longest upload; null: never. */
  refreshAt?(credential: Credential): number | null;
  /** When the access token ends that a renewal replaces (epoch milliseconds); null: not known. */
  endsAt?(credential: Credential): number | null;
  /** Renews the credential. A network blip is `retryable`, only the network's own word is `rejected`. */
  refresh?(context: ConnectorContext<Credential>): Promise<Refreshed<Credential>>;
  /**
   * Makes everything ready and fixes the handle under which it is published. Harmless, and repeated after a crash with
   * the last saved handle. `save` makes a handle durable and may be called at every checkpoint.
   */
  prepare(
    publication: Publication<Options, Handle>,
    context: ConnectorContext<Credential>,
    handle: Handle | null,
    save: (handle: Handle) => Promise<void>,
  ): Promise<PrepareOutcome>;
  /** The one irrevocable call. */
  publish(
    publication: Publication<Options, Handle>,
    handle: Handle,
    context: ConnectorContext<Credential>,
  ): Promise<Outcome>;
  /** Asks what became of a handle whose publish had no answer, or that the network is still processing; left out: nobody can tell. */
  reconcile?(handle: Handle, context: ConnectorContext<Credential>): Promise<ReconcileOutcome>;
  /**
   * What the network says ahead of its time that would keep a post from going out, as a quota that is used up; null: nothing.
   * Harmless. Absent: the network says nothing ahead.
   */
  foresee?(publication: Publication<Options>, context: ConnectorContext<Credential>): Promise<Foreseen>;
  /** Verifies a published post: whether it is still there, and where; also whether it is as it was `accepted`, where that is given. */
  verify(
    published: Published<Handle>,
    context: ConnectorContext<Credential>,
    accepted?: Accepted,
  ): Promise<VerifyOutcome>;
  /** Takes a published post down; harmless to repeat. Absent: an app may not. */
  takeDown?(published: Published<Handle>, context: ConnectorContext<Credential>): Promise<TakenDown>;
  /** Options whose values the network lists for an account; in the schema of the options they have `x-lookup`. */
  lookUps?: LookUps<Credential>;
  /** Writes the option `first_comment` under a published post; absent: the network has no such option. */
  firstComment?: FirstComment<Credential, Handle>;
  /** Options that are carried out once the post is live. */
  additions?: AdditionsOf<Credential, Handle>;
  /** Reads the metrics of a published post; absent: the network reports none. */
  readMetrics?(published: Published<Handle>, context: ConnectorContext<Credential>): Promise<MetricsOutcome>;
}

/** A network with its own types checked at the border, so that general code can hold any of them. */
export interface Network extends NetworkDefinition<Json, Json, Json> {}

export const NOT_PUBLISHED: NotPublished = { is: "not_published" };

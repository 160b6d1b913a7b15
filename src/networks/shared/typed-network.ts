// Turns a connector with its own types into a `Network`, which general code can use without knowing these types.
import type * as z from "zod";
import type { Json } from "../../domain/json.ts";
import type {
  Addition,
  AdditionsOf,
  ConnectorContext,
  Consent,
  FirstComment,
  LookUp,
  LookUps,
  Network,
  NetworkDefinition,
  Publication,
  Published,
} from "../network.ts";
import {
  toShownAnswer,
  toShownConnection,
  toShownFinding,
  toShownGrant,
  toShownMetrics,
  toShownOptions,
  toShownOutcome,
  toShownStart,
} from "./foreign-account.ts";
import { prepareKept, withKeptPublishKey } from "./kept-publish-key.ts";

/**
 * Returns a parser for `schema` that parses each object only once. The steps of a session share the same credential, options
 * and publish key, which never change.
 */
function parsedOnce<Output>(schema: z.ZodType<Output>): (untyped: Json) => Output {
  const cache = new WeakMap<object, Output>();
  return (untyped) => {
    if (typeof untyped !== "object" || untyped === null) return schema.parse(untyped);
    const parsed = cache.get(untyped) ?? schema.parse(untyped);
    cache.set(untyped, parsed);
    return parsed;
  };
}

/** A consent whose answers are fit to be shown. */
const withShownGrant = <Credential extends Json>(consent: Consent<Credential>): Consent<Credential> => ({
  ...consent,
  exchange: async (reply, app, io) => toShownGrant(await consent.exchange(reply, app, io)),
});

/** Turns a typed connector into a `Network`: values from the database are parsed before the connector sees them. */
export function network<Credential extends Json, Options extends Json, PublishKey extends Json>(
  definition: NetworkDefinition<Credential, Options, PublishKey>,
): Network {
  const [credentialOf, optionsOf, publishKeyOf] = [
    parsedOnce(definition.credential),
    parsedOnce(definition.options),
    parsedOnce(definition.publishKey),
  ];
  const context = (untyped: ConnectorContext<Json>): ConnectorContext<Credential> => ({
    credential: credentialOf(untyped.credential),
    io: untyped.io,
  });
  const publication = ({ replyTo, ...untyped }: Publication<Json, Json>): Publication<Options, PublishKey> => ({
    ...untyped,
    options: optionsOf(untyped.options),
    ...(replyTo && { replyTo: { ...replyTo, root: published(replyTo.root), parent: published(replyTo.parent) } }),
  });
  const {
    consent,
    consentByHandle,
    consentWays,
    refreshAt,
    endsAt,
    refresh,
    reconcile,
    foresee,
    modeOf,
    checkOptions,
    takeDown,
    editText,
    lookUps,
    firstComment,
    additions,
    readMetrics,
  } = definition;
  const published = ({ id, publishKey }: Published<Json>) => ({
    id,
    publishKey: publishKey === null ? null : publishKeyOf(publishKey),
  });
  return {
    ...definition,
    connect: async (input, io) => toShownConnection(await definition.connect(input, io)),
    consent: consent && withShownGrant(consent),
    consentWays:
      consentWays && Object.fromEntries(Object.entries(consentWays).map(([via, own]) => [via, withShownGrant(own)])),
    consentByHandle: consentByHandle && {
      ...consentByHandle,
      start: async (handle, request, io) => toShownStart(await consentByHandle.start(handle, request, io)),
      exchange: async (reply, io) => toShownGrant(await consentByHandle.exchange(reply, io)),
    },
    refreshAt: refreshAt && ((credential) => refreshAt(credentialOf(credential))),
    endsAt: endsAt && ((credential) => endsAt(credentialOf(credential))),
    refresh: refresh && (async (untyped) => sanitizeAnswer(await refresh(context(untyped)), untyped)),
    prepare: async (post, untypedContext, publishKey, save) =>
      sanitizeAnswer(
        await prepareKept(
          (keep) =>
            definition.prepare(
              publication(post),
              context(untypedContext),
              publishKey === null ? null : publishKeyOf(publishKey),
              keep,
            ),
          save,
        ),
        untypedContext,
      ),
    publish: async (post, publishKey, untypedContext) => {
      const outcome = await definition.publish(publication(post), publishKeyOf(publishKey), context(untypedContext));
      return sanitizeAnswer(toShownOutcome(withKeptPublishKey(outcome)), untypedContext);
    },
    reconcile:
      reconcile &&
      (async (publishKey, untypedContext) =>
        sanitizeAnswer(
          toShownOutcome(withKeptPublishKey(await reconcile(publishKeyOf(publishKey), context(untypedContext)))),
          untypedContext,
        )),
    modeOf: modeOf && ((options) => modeOf(definition.options.parse(options))),
    checkOptions: checkOptions && ((options, post, now) => checkOptions(definition.options.parse(options), post, now)),
    foresee:
      foresee &&
      (async (post, untypedContext) => {
        const foreseen = await foresee(publication(post), context(untypedContext));
        return foreseen && sanitizeAnswer(foreseen, untypedContext);
      }),
    recheck: async (post, untypedContext, accepted) =>
      sanitizeAnswer(
        toShownFinding(await definition.recheck(published(post), context(untypedContext), accepted)),
        untypedContext,
      ),
    takeDown:
      takeDown &&
      (async (post, untypedContext) =>
        sanitizeAnswer(await takeDown(published(post), context(untypedContext)), untypedContext)),
    editText:
      editText &&
      (async (post, edit, untypedContext) =>
        sanitizeAnswer(
          await editText(published(post), { ...edit, options: optionsOf(edit.options) }, context(untypedContext)),
          untypedContext,
        )),
    lookUps: lookUps && untypedLookUps(lookUps, context),
    firstComment: firstComment && untypedComment(firstComment, published, context),
    additions: additions && untypedAdditions(additions, published, context),
    readMetrics:
      readMetrics &&
      (async (post, untypedContext) =>
        sanitizeAnswer(toShownMetrics(await readMetrics(published(post), context(untypedContext))), untypedContext)),
  };
}

/** Cleans a connector's answer so that it can be shown to users. Uses the connector's own clock. */
const sanitizeAnswer = <Answer extends { is: string }>(
  answer: Answer,
  { io }: Pick<ConnectorContext<Json>, "io">,
): Answer => toShownAnswer(answer, io.now());

function untypedLookUps<Credential>(
  lookUps: LookUps<Credential>,
  context: (untyped: ConnectorContext<Json>) => ConnectorContext<Credential>,
): LookUps<Json> {
  return Object.fromEntries(
    Object.entries(lookUps).map(([name, lookUp]) => [
      name,
      {
        ...lookUp,
        list: async (values, untypedContext) =>
          sanitizeAnswer(toShownOptions(await lookUp.list(values, context(untypedContext))), untypedContext),
      } satisfies LookUp<Json>,
    ]),
  );
}

function untypedComment<Credential, PublishKey>(
  { prepare, publish, find }: FirstComment<Credential, PublishKey>,
  published: (untyped: Published<Json>) => Published<PublishKey>,
  context: (untyped: ConnectorContext<Json>) => ConnectorContext<Credential>,
): FirstComment<Json, Json> {
  return {
    prepare:
      prepare &&
      (async (post, text, untypedContext, ready, save) =>
        sanitizeAnswer(
          await prepareKept((keep) => prepare(published(post), text, context(untypedContext), ready, keep), save),
          untypedContext,
        )),
    publish: async (post, text, ready, untypedContext) =>
      sanitizeAnswer(await publish(published(post), text, ready, context(untypedContext)), untypedContext),
    ...(find && {
      find: async (post, text, ready, untypedContext) =>
        sanitizeAnswer(await find(published(post), text, ready, context(untypedContext)), untypedContext),
    }),
  };
}

function untypedAdditions<Credential, PublishKey>(
  additions: AdditionsOf<Credential, PublishKey>,
  published: (untyped: Published<Json>) => Published<PublishKey>,
  context: (untyped: ConnectorContext<Json>) => ConnectorContext<Credential>,
): AdditionsOf<Json, Json> {
  return Object.fromEntries(
    Object.entries(additions).map(([name, { add, isThere }]) => [
      name,
      {
        add: async (post, wish, untypedContext) =>
          sanitizeAnswer(await add(published(post), wish, context(untypedContext)), untypedContext),
        ...(isThere && {
          isThere: async (post, wish, untypedContext) =>
            sanitizeAnswer(await isThere(published(post), wish, context(untypedContext)), untypedContext),
        }),
      } satisfies Addition<Json, Json>,
    ]),
  );
}

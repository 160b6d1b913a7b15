// A network as its connector is typed, made into one that general code can hold.
import type * as z from "zod";
import type { Json } from "../../domain/json.ts";
import type {
  Addition,
  AdditionsOf,
  ConnectorContext,
  FirstComment,
  LookUp,
  LookUps,
  Network,
  NetworkDefinition,
  Publication,
  Published,
} from "../network.ts";
import { toShownConnection, toShownFinding, toShownGrant, toShownOptions, toShownPost } from "./foreign-account.ts";

/**
 * Parses by `schema`, each object once: the steps of one session come with the same credential, options and handle, and nobody
 * changes these.
 */
function parsedOnce<Output>(schema: z.ZodType<Output>): (untyped: Json) => Output {
  const known = new WeakMap<object, Output>();
  return (untyped) => {
    if (typeof untyped !== "object" || untyped === null) return schema.parse(untyped);
    const parsed = known.get(untyped) ?? schema.parse(untyped);
    known.set(untyped, parsed);
    return parsed;
  };
}

/** Turns a typed connector into a `Network`: what comes out of the database is parsed before the connector sees it. */
export function network<Credential extends Json, Options extends Json, Handle extends Json>(
  definition: NetworkDefinition<Credential, Options, Handle>,
): Network {
  const [credentialOf, optionsOf, handleOf] = [
    parsedOnce(definition.credential),
    parsedOnce(definition.options),
    parsedOnce(definition.handle),
  ];
  const context = (untyped: ConnectorContext<Json>): ConnectorContext<Credential> => ({
    credential: credentialOf(untyped.credential),
    io: untyped.io,
  });
  const publication = ({ replyTo, ...untyped }: Publication<Json, Json>): Publication<Options, Handle> => ({
    ...untyped,
    options: optionsOf(untyped.options),
    ...(replyTo && { replyTo: { ...replyTo, root: published(replyTo.root), parent: published(replyTo.parent) } }),
  });
  const {
    consent,
    refreshAt,
    endsAt,
    refresh,
    reconcile,
    foresee,
    modeOf,
    takeDown,
    lookUps,
    firstComment,
    additions,
    readMetrics,
  } = definition;
  const published = ({ id, handle }: Published<Json>) => ({
    id,
    handle: handle === null ? null : handleOf(handle),
  });
  return {
    ...definition,
    connect: async (input, io) => toShownConnection(await definition.connect(input, io)),
    consent: consent && {
      ...consent,
      exchange: async (reply, app, io) => toShownGrant(await consent.exchange(reply, app, io)),
    },
    refreshAt: refreshAt && ((credential) => refreshAt(credentialOf(credential))),
    endsAt: endsAt && ((credential) => endsAt(credentialOf(credential))),
    refresh: refresh && ((untyped) => refresh(context(untyped))),
    prepare: (post, at, handle, save) =>
      definition.prepare(publication(post), context(at), handle === null ? null : handleOf(handle), save),
    publish: async (post, handle, at) => {
      const outcome = await definition.publish(publication(post), handleOf(handle), context(at));
      return outcome.is === "live" ? toShownPost(outcome) : outcome;
    },
    reconcile:
      reconcile &&
      (async (handle, at) => {
        const outcome = await reconcile(handleOf(handle), context(at));
        return outcome.is === "live" ? toShownPost(outcome) : outcome;
      }),
    modeOf: modeOf && ((options) => modeOf(definition.options.parse(options))),
    foresee: foresee && ((post, at) => foresee(publication(post), context(at))),
    verify: async (post, at, accepted) =>
      toShownFinding(await definition.verify(published(post), context(at), accepted)),
    takeDown: takeDown && ((post, at) => takeDown(published(post), context(at))),
    lookUps: lookUps && untypedLookUps(lookUps, context),
    firstComment: firstComment && untypedComment(firstComment, published, context),
    additions: additions && untypedAdditions(additions, published, context),
    readMetrics: readMetrics && ((post, at) => readMetrics(published(post), context(at))),
  };
}

function untypedLookUps<Credential>(
  lookUps: LookUps<Credential>,
  context: (untyped: ConnectorContext<Json>) => ConnectorContext<Credential>,
): LookUps<Json> {
  return Object.fromEntries(
    Object.entries(lookUps).map(([name, lookUp]) => [
      name,
      {
        ...lookUp,
        list: async (values, at) => toShownOptions(await lookUp.list(values, context(at))),
      } satisfies LookUp<Json>,
    ]),
  );
}

function untypedComment<Credential, Handle>(
  { prepare, publish, find }: FirstComment<Credential, Handle>,
  published: (untyped: Published<Json>) => Published<Handle>,
  context: (untyped: ConnectorContext<Json>) => ConnectorContext<Credential>,
): FirstComment<Json, Json> {
  return {
    prepare: prepare && ((post, text, at, ready, save) => prepare(published(post), text, context(at), ready, save)),
    publish: (post, text, ready, at) => publish(published(post), text, ready, context(at)),
    ...(find && { find: (post, text, ready, at) => find(published(post), text, ready, context(at)) }),
  };
}

function untypedAdditions<Credential, Handle>(
  additions: AdditionsOf<Credential, Handle>,
  published: (untyped: Published<Json>) => Published<Handle>,
  context: (untyped: ConnectorContext<Json>) => ConnectorContext<Credential>,
): AdditionsOf<Json, Json> {
  return Object.fromEntries(
    Object.entries(additions).map(([name, { add, isThere }]) => [
      name,
      {
        add: (post, wish, at) => add(published(post), wish, context(at)),
        ...(isThere && { isThere: (post, wish, at) => isThere(published(post), wish, context(at)) }),
      } satisfies Addition<Json, Json>,
    ]),
  );
}

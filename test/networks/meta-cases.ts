// The networks on which a post is a container first, and what their tests do with each.
import type { Json } from "../../src/domain/json.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { Network, Publication } from "../../src/networks/network.ts";
import { threads } from "../../src/networks/threads/index.ts";
import { type ConnectedAccount, connectAccount, faultCall, graphError, prepareKey } from "./containers.ts";
import { hosted, jpeg, png, publication } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

interface Names {
  /** Names of the calls. */
  make: string;
  publish: string;
  container: string;
  post: string;
  list: string;
  quota: string;
  /** The member of a container that holds its state. */
  status: string;
  scopes: [basic: string, publish: string];
  image(position: number): MediaFile;
  /** What publishing a container that is not visible yet is answered. */
  notVisible: ReturnType<typeof graphError>;
}
export const CASES: [string, Network, Names][] = [
  [
    "Threads",
    threads,
    {
      make: "threads",
      publish: "threads_publish",
      container: "threads-container",
      post: "threads-media",
      list: "threads-list",
      quota: "threads_publishing_limit",
      status: "status",
      scopes: ["threads_basic", "threads_content_publish"],
      image: png,
      notVisible: graphError(24, 4279009),
    },
  ],
  [
    "Instagram",
    instagram,
    {
      make: "media",
      publish: "media_publish",
      container: "ig-container",
      post: "ig-media",
      list: "media-list",
      quota: "content_publishing_limit",
      status: "status_code",
      scopes: ["instagram_business_basic", "instagram_business_content_publish"],
      image: jpeg,
      notVisible: graphError(9007, 2207027),
    },
  ],
];

/** What a test does with one of them. */
export function doing(network: Network, names: Names) {
  const account = (input: object = {}) => connectAccount(simulators, network, input);
  const fault = (signed: ConnectedAccount, call: string, what: object) =>
    faultCall(simulators, network, signed, call, what);
  const images = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => hosted(simulators, names.image(i))));
  const post = async (text: string, count = 1): Promise<Publication<Json>> =>
    publication(text, { media: await images(count) });
  const ready = async (text: string) => {
    const signed = await account();
    const publication = await post(text);
    return {
      signed,
      context: signed.context,
      post: publication,
      publishKey: await prepareKey(network, publication, signed),
    };
  };
  /** The containers that were asked for. */
  const made = ({ calls }: ConnectedAccount) =>
    calls.filter(({ url, body }) => body !== null && new URL(url).pathname.endsWith(`/${names.make}`));
  const state = (status: string) => ({ do: "status", status: 200, body: { id: "1", [names.status]: status } });
  return { account, fault, post, ready, made, state };
}

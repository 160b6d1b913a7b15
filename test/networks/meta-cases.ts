// The networks on which a post is a container first, with the names that their tests need.
import type { Json } from "../../src/domain/json.ts";
import { instagram } from "../../src/networks/instagram/index.ts";
import type { MediaFile } from "../../src/networks/media-file.ts";
import type { Network, Publication } from "../../src/networks/network.ts";
import { threads } from "../../src/networks/threads/index.ts";
import { type ConnectedAccount, connectAccount, faultCall, graphError, prepareKey } from "./containers.ts";
import { hostFile, jpeg, png, publication } from "./network-io.ts";
import { simulators } from "./simulators.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

interface Names {
  /** The names of the calls. */
  make: string;
  publish: string;
  container: string;
  post: string;
  list: string;
  quota: string;
  /** The field of a container that holds its state. */
  status: string;
  scopes: [basic: string, publish: string];
  image(position: number): MediaFile;
  /** The answer to publishing a container that is not visible yet. */
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

/** The functions of a test for one of these networks. */
export function bindCase(network: Network, names: Names) {
  const account = (input: object = {}) => connectAccount(simulators, network, input);
  const fault = (connection: ConnectedAccount, call: string, faultFields: object) =>
    faultCall(simulators, network, connection, call, faultFields);
  const images = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => hostFile(simulators, names.image(i))));
  const post = async (text: string, count = 1): Promise<Publication<Json>> =>
    publication(text, { media: await images(count) });
  const ready = async (text: string) => {
    const connection = await account();
    const publication = await post(text);
    return {
      connection,
      context: connection.context,
      post: publication,
      publishKey: await prepareKey(network, publication, connection),
    };
  };
  /** The calls that created containers. */
  const listCreations = ({ calls }: ConnectedAccount) =>
    calls.filter(({ url, body }) => body !== null && new URL(url).pathname.endsWith(`/${names.make}`));
  const state = (status: string) => ({ do: "status", status: 200, body: { id: "1", [names.status]: status } });
  return { account, fault, post, ready, listCreations, state };
}

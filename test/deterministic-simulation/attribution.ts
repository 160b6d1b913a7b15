// Finds the post that a network's call is about: by the mark in a text, or by a publish key (a container, an upload session, a
// publish id) from the network's answer to an earlier call.

const MARK = /p(\d+)r(\d+) and nothing else(?:, part (\d+))?/;

/** The post and revision that a text names, and its position in a thread: 0 is the post itself. */
export function readText(text: string): { n: number; revision: number; part: number } | null {
  const [, n, revision, position = 0] = MARK.exec(text) ?? [];
  return n === undefined ? null : { n: Number(n), revision: Number(revision), part: Number(position) };
}
/** The position of a ledger entry in its thread. */
export const getThreadPosition = ({ text }: { text: string }): number => readText(text)?.part ?? 0;

/** The call that publishes, by network: method and path. */
const IRREVOCABLE: Record<string, RegExp> = {
  bluesky: /^POST .*repo\.(putRecord|createRecord|applyWrites)/,
  x: /^POST \/2\/tweets/,
  pinterest: /^POST \/v5\/pins/,
  instagram: /^POST .*\/media_publish/,
  threads: /^POST .*\/threads_publish/,
  tiktok: /^(POST \/v2\/post\/publish\/((inbox\/)?video|content)\/init|PUT \/video)/,
  linkedin: /^POST \/rest\/posts/,
  youtube: /^PUT \/upload/,
  facebook: /^POST .*\/(feed|photos|videos|video_reels|photo_stories|video_stories)/,
  telegram: /^POST .*\/send/,
};
export const isIrrevocable = (platform: string, what: string): boolean => IRREVOCABLE[platform]?.test(what) ?? false;

/** Whether a call begins a draft without a text. Such a call does not name its post. */
export const beginsDraft = (platform: string, what: string): boolean =>
  platform === "tiktok" && what.includes("/publish/inbox/video/init");

/** A call that makes an addition to a live post, by the name of the option. */
export interface AdditionCall {
  name: string;
  /** The network's id of the post. */
  on: string;
}
export function additionIn(platform: string, what: string, url: string, body: string): AdditionCall | null {
  const toAddition = (name: string, on: string | undefined) => (on === undefined ? null : { name, on });
  if (platform === "facebook") return toAddition("thumbnail_media", /^POST .*\/(\w+)\/thumbnails$/.exec(what)?.[1]);
  if (platform !== "youtube" || !what.startsWith("POST ")) return null;
  if (what.endsWith("/thumbnails/set")) return toAddition("thumbnail_media", /videoId=([\w-]+)/.exec(url)?.[1]);
  return what.endsWith("/playlistItems") ? toAddition("playlist", /"videoId":"([\w-]+)"/.exec(body)?.[1]) : null;
}

/** Shorter publish keys are numbers that also occur elsewhere. */
const HANDLE_LENGTH_MIN = 8;

export class Attribution {
  readonly #handles = new Map<string, Map<string, number>>();

  /** The number of the post; null: the call does not say. */
  findPost(platform: string, url: string, body: string): number | null {
    const mark = readText(body.includes("%20") || body.includes("+") ? safelyDecoded(body) : body);
    if (mark !== null) {
      const [, key] = /"rkey":\s*"([^"]+)"/.exec(body) ?? [];
      if (key !== undefined) this.#remember(platform, key, mark.n);
      // A video has its id before its text.
      const [, video] = /\bvideo_id\W+(\d{8,})/.exec(body) ?? [];
      if (video !== undefined) this.#remember(platform, video, mark.n);
      return mark.n;
    }
    const content = `${url} ${body}`;
    for (const [handle, n] of this.#handles.get(platform) ?? []) if (content.includes(handle)) return n;
    return null;
  }

  /** Remembers the publish keys in a network's answer. */
  answered(platform: string, n: number, headers: Headers, body: string): void {
    for (const [, handle] of body.matchAll(/"(?:id|publish_id|upload_url|uri)":\s*"([^"]+)"/g))
      if (handle !== undefined && handle.length >= HANDLE_LENGTH_MIN) this.#remember(platform, handle, n);
    const session = new URL(headers.get("location") ?? "/", "https://none.test").searchParams.get("upload_id");
    if (session !== null) this.#remember(platform, session, n);
  }

  #remember(platform: string, handle: string, n: number): void {
    const known = this.#handles.get(platform) ?? new Map<string, number>();
    this.#handles.set(platform, known.set(handle, n));
  }
}

function safelyDecoded(body: string): string {
  try {
    return decodeURIComponent(body.replaceAll("+", " "));
  } catch {
    return body;
  }
}

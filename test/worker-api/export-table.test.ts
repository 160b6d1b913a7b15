import { describe, expect, it } from "vitest";
import { call, connect, finished, post, signUp } from "../support/world.ts";
import { copyPost, fetchText, parseRows } from "./exported.ts";

describe("the table of posts", () => {
  const COLUMNS = "id,status,due_at,platform,handle,text,labels,url,error";

  it("the table of posts has a row for each delivery, with the exact text of its channel", async () => {
    const { key } = await signUp();
    const [bluesky, telegram] = [await connect(key, "bluesky"), await connect(key, "telegram")];
    const text = '=1+1, "quoted"\r\nand a second line';
    const { id } = await post(key, {
      text,
      channels: [bluesky.id, telegram.id],
      overrides: { [telegram.id]: { text: "@there" } },
      labels: ["winter", "sale"],
    });
    const { due_at, deliveries } = await finished(key, id);
    const { status, headers, text: csv } = await fetchText("/v1/posts.csv", key);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/csv; charset=utf-8/);
    expect(csv.startsWith(`${COLUMNS}\r\n`)).toBe(true);
    const post_ = { id, status: "published", due_at, labels: "winter|sale", error: "" };
    expect(parseRows(csv)).toEqual([
      { ...post_, platform: "bluesky", handle: bluesky.handle, text, url: deliveries[0]?.url },
      { ...post_, platform: "telegram", handle: telegram.handle, text: "@there", url: deliveries[1]?.url ?? "" },
    ]);
    const escaped = parseRows((await fetchText("/v1/posts.csv?escape_formulas=true", key)).text);
    expect(escaped.map((row) => row.text)).toEqual([`'${text}`, "'@there"]);
  });

  it("the table of posts accepts the filters of the list and contains all pages", async () => {
    const { key, workspace } = await signUp();
    const channel = await connect(key, "telegram");
    const { id } = await post(key, { text: "one of many", channels: [channel.id] });
    await finished(key, id);
    await copyPost(workspace, id, 450);
    const draft = await post(key, { text: "=draft", draft: true, labels: ["winter"] });
    const rows = async (query: string) => parseRows((await fetchText(`/v1/posts.csv${query}`, key)).text);
    expect(await rows("")).toHaveLength(451);
    expect(new Set((await rows("?order=due&status=published")).map((row) => row.id)).size).toBe(451);
    expect(await rows("?status=draft")).toEqual([
      {
        id: draft.id,
        status: "draft",
        due_at: "",
        platform: "",
        handle: "",
        text: "=draft",
        labels: "winter",
        url: "",
        error: "",
      },
    ]);
    expect(await rows("?q=nowhere")).toEqual([]);
    expect(await call("GET", "/v1/posts.csv?status=gone", { token: key })).toMatchObject({
      status: 422,
      body: { error: "unknown_status" },
    });
    expect(await call("GET", "/v1/posts.csv?from=later", { token: key })).toMatchObject({
      status: 422,
      body: { field: "/from" },
    });
  });
});

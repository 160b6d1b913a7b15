// Each call with a body rejects text that is not a JSON object, or that parsers read in different ways, before it
// checks the fields.
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Account, call, signUp } from "../support/world.ts";

let account: Account;
beforeAll(async () => {
  account = await signUp();
});

interface RefusalBody {
  error: string;
  field?: string;
  message: string;
  request_id: string;
}

/** Sends exactly these bytes to a call that takes a body. */
async function send(body: BodyInit | null, headers: Record<string, string> = { "content-type": "application/json" }) {
  const response = await exports.default.fetch(
    new Request("http://crier.test/v1/posts", {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, ...headers },
      body,
    }),
  );
  return { status: response.status, body: await response.json<RefusalBody>() };
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) => new Uint8Array(new Uint16Array([...text].map((unit) => unit.charCodeAt(0))).buffer);
const draft = '{"draft":true,"text":"x"}';

describe("a body that is not a JSON object in UTF-8", () => {
  it.each<[string, BodyInit | null]>([
    ["no body", null],
    ["an empty body", ""],
    ["white space", " \n"],
    ["null", "null"],
    ["an array", `[${draft}]`],
    ["a string", JSON.stringify(draft)],
    ["a number", "1"],
    ["a truncated object", draft.slice(0, -1)],
    ["two objects", draft + draft],
    ["a comment", `/* hi */${draft}`],
    ["a trailing comma", '{"text":"x",}'],
    ["single quotes", "{'text':'x'}"],
    ["NaN", '{"text":NaN}'],
    ["a line break within a string", '{"text":"a\nb"}'],
    ["a NUL before the object", `\0${draft}`],
    ["a byte order mark", `\ufeff${draft}`],
    ["UTF-16", utf16(draft)],
    ["UTF-16 with a byte order mark", utf16(`\ufeff${draft}`)],
    ["a byte that is not UTF-8", new Uint8Array([...utf8('{"text":"'), 0xff, ...utf8('","draft":true}')])],
    ["an overlong slash", new Uint8Array([...utf8('{"text":"'), 0xc0, 0xaf, ...utf8('","draft":true}')])],
    ["a surrogate in bytes", new Uint8Array([...utf8('{"text":"'), 0xed, 0xa0, 0x80, ...utf8('","draft":true}')])],
    ["a megabyte of [", "[".repeat(1 << 20)],
    ["half a megabyte of [ and of ]", `${"[".repeat(500_000)}${"]".repeat(500_000)}`],
    ["a known field with 33 levels", `{"overrides":${'{"a":'.repeat(33)}1${"}".repeat(33)}}`],
    ["a known field with 100,000 levels", `{"overrides":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`],
  ])("rejects %s as malformed_json", async (_name, body) => {
    expect(await send(body)).toMatchObject({ status: 422, body: { error: "malformed_json" } });
  });
});

describe("a name that occurs twice in one object", () => {
  it.each([
    ['{"draft":true,"text":"a","text":"b"}', "/text"],
    ['{"draft":true,"text":"a","text":"a"}', "/text"],
    ['{"draft":true,"text":"a","t\\u0065xt":"b"}', "/text"],
    ['{"draft":true,"dry_run":true,"dry_run":false}', "/dry_run"],
    ['{"draft":true,"metadata":{"a/b":"1","a/b":"2"}}', "/metadata/a~1b"],
    ['{"draft":true,"media_preview":[{"kind":"image"},{"kind":"image","kind":"video"}]}', "/media_preview/1/kind"],
    ['{"draft":true,"overrides":{"ch_a":{"text":"1"},"ch_a":{"text":"2"}}}', "/overrides/ch_a"],
    ['{"colour":1,"colour":2}', "/colour"],
  ])("rejects the repeated name in %s and points at it", async (body, field) => {
    expect(await send(body)).toMatchObject({ status: 422, body: { error: "malformed_json", field } });
  });

  it("accepts the same name in two objects", async () => {
    expect(await send('{"draft":true,"text":"x","metadata":{"text":"x","draft":"x"}}')).toMatchObject({ status: 201 });
  });
});

describe("a field with the name of a JavaScript property", () => {
  it.each([
    ['{"draft":true,"__proto__":{"text":"x"}}', "unknown_field", "/__proto__"],
    ['{"draft":true,"metadata":{"__proto__":"x"}}', "unknown_field", "/metadata/__proto__"],
    ['{"draft":true,"overrides":{"__proto__":{"text":"x"}}}', "unknown_field", "/overrides/__proto__"],
    ['{"draft":true,"constructor":{"prototype":{"text":"x"}}}', "unknown_field", "/constructor"],
    ['{"draft":true,"toString":"x"}', "unknown_field", "/toString"],
    ['{"draft":true,"hasOwnProperty":1}', "unknown_field", "/hasOwnProperty"],
    ['{"draft":true,"overrides":{"constructor":{}}}', "override_for_unknown_channel", "/overrides/constructor"],
    ['{"draft":true,"channels":["constructor"]}', "unknown_channel", "/channels/0"],
    ['{"draft":true,"channels":["__proto__"]}', "unknown_channel", "/channels/0"],
    ['{"draft":true,"media":["toString"]}', "unknown_media", "/media/0"],
  ])("rejects the body %s with %s", async (body, error, field) => {
    expect(await send(body)).toMatchObject({ status: 422, body: { error, field } });
  });

  it("stores metadata under the names of JavaScript properties unchanged", async () => {
    const metadata = { constructor: "a", toString: "b", valueOf: "c", prototype: "d" };
    const answer = await call<{ metadata: object }>("POST", "/v1/posts", {
      token: account.key,
      body: { draft: true, metadata },
    });
    expect(answer).toMatchObject({ status: 201 });
    expect(JSON.stringify(answer.body.metadata)).toBe(JSON.stringify(metadata));
  });
});

describe("the content type of a body", () => {
  it.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json;",
  ])("accepts the content type %s", async (type) => {
    expect(await send(draft, { "content-type": type })).toMatchObject({ status: 201 });
  });

  it.each([
    "",
    "text/plain",
    "text/json",
    "application/jsonp",
    "application/problem+json",
    "application/json, text/plain",
    "application/json; charset=utf-16",
    "application/json; charset=iso-8859-1",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
  ])("rejects the content type %j", async (type) => {
    expect(await send(utf8(draft), type === "" ? {} : { "content-type": type })).toMatchObject({
      status: 422,
      body: { error: "malformed_json" },
    });
  });

  it("rejects a form, whatever it contains", async () => {
    const form = new FormData();
    form.set("text", "x");
    expect(await send(form, {})).toMatchObject({ status: 422, body: { error: "malformed_json" } });
    expect(await send(new URLSearchParams({ text: "x" }), {})).toMatchObject({ status: 422 });
  });
});

describe("the size of a body", () => {
  const sized = (bytes: number) => {
    const [head, tail] = ['{"draft":true,"text":"x"', "}"];
    return head + " ".repeat(bytes - head.length - tail.length) + tail;
  };

  it("accepts a body of 1 MiB, and rejects a larger body with body_too_large", async () => {
    expect(await send(sized(1 << 20))).toMatchObject({ status: 201 });
    expect(await send(sized((1 << 20) + 1))).toMatchObject({ status: 413, body: { error: "body_too_large" } });
    expect(await send(sized(5 << 20))).toMatchObject({ status: 413, body: { error: "body_too_large" } });
  });

  it("counts the bytes of a body without a declared length", async () => {
    const chunk = utf8(" ".repeat(1 << 16));
    let sentBytes = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sentBytes += chunk.byteLength;
        controller.enqueue(chunk);
      },
    });
    expect(await send(endless)).toMatchObject({ status: 413, body: { error: "body_too_large" } });
    expect(sentBytes).toBeLessThan(3 << 20);
  });

  it("counts the size of a body in bytes, not in characters", async () => {
    expect(await send(`{"draft":true,"text":"${"ä".repeat(1 << 19)}"}`)).toMatchObject({ status: 413 });
  });
});

describe("each call with a body", () => {
  it.each([
    ["PATCH", "/v1/posts/post_x"],
    ["POST", "/v1/media"],
    ["POST", "/v1/media/upload-url"],
    ["POST", "/v1/media/chunked-upload"],
    ["PATCH", "/v1/media/med_x"],
    ["POST", "/v1/channels"],
    ["POST", "/v1/connector-requests"],
    ["PATCH", "/v1/workspace"],
  ])("%s %s reads its body by the same rules", async (method, path) => {
    const sendBody = (body: unknown, type = "application/json") =>
      call(method, path, { token: account.key, body, headers: { "content-type": type } });
    expect(await sendBody("[]")).toMatchObject({ status: 422, body: { error: "malformed_json" } });
    expect(await sendBody("{}", "text/plain")).toMatchObject({ status: 422, body: { error: "malformed_json" } });
    expect(await sendBody('{"x":1,"x":1}')).toMatchObject({
      status: 422,
      body: { error: "malformed_json", field: "/x" },
    });
    expect(await sendBody("[".repeat(1 << 20))).toMatchObject({ status: 422, body: { error: "malformed_json" } });
    expect(await sendBody(" ".repeat((1 << 20) + 1))).toMatchObject({ status: 413, body: { error: "body_too_large" } });
  });

  it("a call that takes no body does not read one", async () => {
    const answer = await call("DELETE", "/v1/posts/post_x", { token: account.key, body: "[" });
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
  });
});

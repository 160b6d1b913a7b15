// The command line as a user installs it: the packed tarball in an empty folder, on the Node of this machine.
import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePng } from "../../../scripts/local/png.ts";
import { json as answer, type Service, startService } from "../../unit/cli/service.ts";
import { crier, exec, home, key, parsed, root, run, tarball, useInstalled } from "./installed-cli.ts";
import { USERS_PATH } from "./running.ts";

useInstalled();

describe("the package", () => {
  it("installs one program without dependencies, and runs with npx", async () => {
    const packages = await readdir(join(home, "lib/node_modules"));
    expect(packages).toEqual(["crier"]);
    await expect(stat(join(home, "lib/node_modules/crier/node_modules"))).rejects.toThrow();
    const empty = join(home, "empty");
    await mkdir(empty);
    const npx = ["--yes", "--offline", "--package", tarball, "crier", "--version"];
    const { stdout } = await exec("npx", npx, { cwd: empty, env: { ...process.env, PATH: USERS_PATH } });
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    expect(stdout.trim()).toBe(version);
    expect(await readdir(empty)).toEqual([]);
  });

  it("prints help without a service, and completions that shells accept", async () => {
    const nowhere = { CRIER_URL: "http://127.0.0.1:9", CRIER_API_KEY: "" };
    expect(await crier(["--help"], { env: nowhere })).toMatchObject({
      code: 0,
      out: expect.stringContaining("Exit codes"),
    });
    expect(await crier(["post", "--help"], { env: nowhere })).toMatchObject({ code: 0, err: "" });
    expect(await crier([], { env: nowhere })).toMatchObject({ code: 2, out: "" });
    expect((await crier(["complete", "--", "post", "--dr"])).out).toContain("--dry-run\t");
    const { out } = await crier(["completion", "bash"]);
    const script = `${out}\nCOMP_WORDS=(crier stat); COMP_CWORD=1; _crier; echo "\${COMPREPLY[*]}"`;
    const { stdout } = await exec("bash", ["-c", script], {
      env: { PATH: `${join(home, "bin")}:${USERS_PATH}`, HOME: home },
    });
    expect(stdout.trim()).toBe("status");
  });
});

describe("signing in", () => {
  const unset = { CRIER_API_KEY: "" };

  it("does not store a key that the service rejects", async () => {
    const wrong = await crier(["login"], { env: unset, input: `crier_live_${"x".repeat(49)}` });
    expect(wrong).toMatchObject({ code: 3, err: expect.stringContaining("refused: ") });
    expect(await crier(["login"], { env: unset })).toMatchObject({ code: 2, err: expect.stringContaining("No key") });
    expect(await crier(["plan"], { env: unset })).toMatchObject({
      code: 3,
      err: expect.stringContaining("crier login"),
    });
  });

  it("stores a valid key for its owner and this address only, and never prints it", async () => {
    const login = await crier(["login", "--url", run.url], { env: { ...unset, CRIER_URL: "" }, input: `${key}\n` });
    expect(login).toMatchObject({ code: 0, out: expect.stringContaining("Größe") });
    expect(login.out + login.err).not.toContain(key);
    const file = join(home, ".config/crier");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const stored = { env: { CRIER_URL: "", CRIER_API_KEY: "" } };
    expect((await parsed(["plan", "--json"], stored)).body).toMatchObject({ plan: "free", posts: { allowed: 30 } });
    expect(await crier(["plan", "--url", "http://127.0.0.1:9"], stored)).toMatchObject({ code: 3 });
    expect(await crier(["logout"], stored)).toMatchObject({ code: 0 });
    await expect(stat(file)).rejects.toThrow();
  });
});

describe("a failing command", () => {
  it("reports a missing server, a wrong key and a wrong address", async () => {
    const nowhere = { env: { CRIER_URL: "http://127.0.0.1:9" } };
    expect(await crier(["plan"], nowhere)).toMatchObject({ code: 1, out: "" });
    expect(await crier(["doctor"], nowhere)).toMatchObject({ code: 1, out: expect.stringContaining("address") });
    const wrong = { env: { CRIER_API_KEY: "crier_live_wrong" } };
    expect(await crier(["status"], wrong)).toMatchObject({ code: 3 });
    expect(await crier(["doctor"], wrong)).toMatchObject({ code: 3, out: expect.stringContaining("crier login") });
    expect(await crier(["status"], { env: { CRIER_URL: "crier.example.com" } })).toMatchObject({ code: 2 });
    const revoked = await parsed(["status", "--json"], wrong);
    expect(revoked.body).toMatchObject({ error: "unauthorized" });
  });

  it("reports a file that cannot be read or uploaded", async () => {
    await writeFile(join(home, "empty.jpg"), "");
    await writeFile(join(home, "words.png"), "These are words.");
    for (const [name, words] of [
      ["missing.jpg", "File not found"],
      ["empty", "a folder"],
      ["empty.jpg", "is empty"],
      ["words.png", "cannot be uploaded"],
    ] as const) {
      const ended = await crier(["post", "x", "-c", "telegram", "--file", name]);
      expect(ended).toMatchObject({ code: 2, out: "", err: expect.stringContaining(words) });
    }
    const latin = spawn(join(home, "bin/crier"), ["post", "-"], { env: { PATH: USERS_PATH, HOME: home } });
    latin.stdin.end(Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]));
    expect(await new Promise((resolve) => latin.on("close", resolve))).toBe(2);
  });

  it("treats a closed output pipe as no error", async () => {
    const ended = await crier(["platforms", "--json"], { onStart: (child) => void child.stdout?.destroy() });
    expect(ended).toMatchObject({ code: 0, err: "" });
  });

  describe("the command line with a faulty service", () => {
    let service: Service;
    let onPut: () => void = () => {};
    const deleted: string[] = [];
    beforeAll(async () => {
      service = await startService(
        (response, { method, path, body }) => {
          if (path.startsWith("/v1/channels")) answer(response, 200, { channels: [], next: null });
          else if (path === "/v1/usage")
            answer(response, 429, { error: "rate_limited", message: "Slow.", retry_after: 99 });
          else if (method === "DELETE") {
            deleted.push(path);
            response.writeHead(204).end();
          } else if (path === "/v1/posts") answer(response, 200, { ...DRY, ...JSON.parse(body) });
          else if (path === "/v1/workspace") answer(response, 200, { media_fit: "exact" });
          else if (path === "/v1/media/upload-url") {
            const { content_type, bytes } = JSON.parse(body);
            answer(response, 201, {
              upload_url: `${service.url}/put`,
              headers: { "Content-Type": content_type, "Content-Length": String(bytes) },
              expires_at: new Date(Date.now() + 900_000).toISOString(),
              media: { id: "med_1" },
            });
          } else response.end("?");
        },
        (request) => {
          if (request.method === "PUT") request.once("data", () => onPut());
          return request.method === "PUT";
        },
      );
    });
    afterAll(() => service.close());
    const DRY = { dry_run: true, publish_at: null, warnings: [] };

    it("deletes an unfinished upload after Ctrl-C", async () => {
      await writeFile(join(home, "large.png"), makePng(8, 8, 3));
      await truncate(join(home, "large.png"), 20_000_000);
      const ended = await crier(["post", "x", "--draft", "--file", "large.png"], {
        env: { CRIER_URL: service.url },
        onStart: (child) => {
          onPut = () => void child.kill("SIGINT");
        },
      });
      expect(ended).toMatchObject({ code: 130, out: "", err: "Interrupted.\n" });
      expect(deleted).toEqual(["/v1/media/med_1"]);
    });

    it("ends with 6 after a long rate limit, and with 1 at a site that is not Crier", async () => {
      const env = { CRIER_URL: service.url };
      expect(await crier(["plan", "--json"], { env })).toMatchObject({
        code: 6,
        err: expect.stringContaining("1 min 39 s"),
      });
      expect(await crier(["analytics"], { env })).toMatchObject({
        code: 1,
        err: expect.stringContaining("crier doctor"),
      });
    });
  });
});

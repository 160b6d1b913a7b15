// The pages that a browser gets at the address of the service.
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

const get = (path: string) => exports.default.fetch(new Request(`http://crier.test${path}`));

it("the front page leads a person to sign-in and to the documents, and each of its links works", async () => {
  const answer = await get("/");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  const text = await answer.text();
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? "");
  expect(links.filter((link) => link.startsWith("/"))).toEqual(
    expect.arrayContaining(["/auth", "/auth/sign-up", "/docs", "/openapi.json", "/llms.txt"]),
  );
  for (const link of links.filter((link) => link.startsWith("/"))) expect((await get(link)).status).toBe(200);
  expect(text).toContain("This deployment simulates the networks");
});

it.each(["/", "/auth", "/auth/sign-up", "/auth/reset", "/nothing"])(
  "%s begins with a link that skips to its content",
  async (path) => {
    const answer = await exports.default.fetch(
      new Request(`http://crier.test${path}`, { headers: { accept: "text/html" } }),
    );
    const text = await answer.text();
    expect(/<a [^>]*>/.exec(text)?.[0]).toBe('<a class="skip" href="#main">');
    expect(text).toContain('<main id="main"');
  },
);

it("/favicon.ico is an icon, and /robots.txt keeps crawlers away from API calls", async () => {
  const icon = await get("/favicon.ico");
  expect({ status: icon.status, type: icon.headers.get("content-type") }).toEqual({
    status: 200,
    type: "image/svg+xml",
  });
  const robots = await get("/robots.txt");
  expect(robots.status).toBe(200);
  expect(await robots.text()).toContain("Disallow: /v1/");
});

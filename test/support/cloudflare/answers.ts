// The envelope of Cloudflare's API.
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

export const ok = (c: Context, result: unknown) =>
  c.json({ success: true, errors: [], messages: [], result, result_info: { page: 1, per_page: 100, total_pages: 1 } });

export const refuse = (c: Context, status: ContentfulStatusCode, code: number, message: string) =>
  c.json({ success: false, errors: [{ code, message }], messages: [], result: null }, status);

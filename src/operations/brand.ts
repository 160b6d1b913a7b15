// The brand on the pages for clients.
import type * as z from "zod";
import type { Context } from "../context.ts";
import type { Brand as BrandContract, BrandInput, ShownBrand } from "../contract/brand.ts";
import type { Brand } from "../domain/brand.ts";
import { refuse } from "../domain/refusal.ts";
import { getBrand } from "../store/accounts/workspaces.ts";
import { mediaByIds } from "../store/media/media.ts";
import { mediaView } from "./media/view.ts";

type Input = z.output<typeof BrandInput>;

/** The brand that a caller sets; null: none. Throws `unknown_media`, or `invalid_field` for a file that is not an uploaded image. */
export async function readBrand(ctx: Context, workspaceId: string, input: Input | null): Promise<Brand | null> {
  if (input === null) return null;
  const { name = null, logo_media: logoMedia = null, accent = null, language = "en" } = input;
  if (logoMedia !== null) {
    const field = "/brand/logo_media";
    const [file] = await mediaByIds(ctx.databaseOf(workspaceId), workspaceId, [logoMedia]);
    if (file === undefined || file.state === "expired") throw refuse("unknown_media", { field });
    if (file.kind !== "image" || file.objectKey === null) {
      throw refuse("invalid_field", {
        field,
        message: "The logo is not an uploaded image.",
        hint: "Upload an image with `POST /v1/media/upload-url`.",
      });
    }
  }
  return { name, logoMedia, accent, language };
}

export const brandView = (brand: Brand | null): z.input<typeof BrandContract> | null =>
  brand && { name: brand.name, logo_media: brand.logoMedia, accent: brand.accent, language: brand.language };

/**
 * The brand of a page as its visitors see it: the page's own, otherwise the workspace's. The logo is at our own address, if the
 * file still exists.
 */
export async function showBrand(
  ctx: Context,
  workspaceId: string,
  own: Brand | null,
): Promise<z.input<typeof ShownBrand> | null> {
  const brand = own ?? (await getBrand(ctx.accounts, workspaceId));
  if (brand === null) return null;
  const { name, logoMedia, accent, language } = brand;
  const logos = logoMedia === null ? [] : await mediaByIds(ctx.databaseOf(workspaceId), workspaceId, [logoMedia]);
  const logo = logos.find(({ state }) => state !== "expired");
  return { name, logo_url: logo === undefined ? null : mediaView(ctx, logo).public_url, accent, language };
}

// The placeholder for a file without a preview gives the reason.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { NoPreview } from "../../../src/dashboard/ui/no-preview.tsx";

const photo = { kind: "image", content_type: "image/heic", alt: "A gradient" } as const;
const draw = (hasCopy: boolean) =>
  renderToStaticMarkup(createElement(NoPreview, { media: photo, isDescribed: false, hasCopy }));

it("the placeholder of a photo that the browser cannot show names the format", () => {
  expect(draw(true)).toContain('title="A gradient. This browser cannot show HEIC photos."');
});

it("the placeholder of a photo whose copy is deleted does not blame the browser", () => {
  expect(draw(false)).toContain('title="A gradient. There is no preview."');
});

// The placeholder for a file without a preview says why there is none.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { NoPreview } from "../../../src/dashboard/compose/no-preview.tsx";

const photo = { kind: "image", content_type: "image/heic", alt: "A gradient" } as const;
const draw = (hasCopy: boolean) =>
  renderToStaticMarkup(createElement(NoPreview, { media: photo, isDescribed: false, hasCopy }));

it("a phone's photo that the browser cannot render is explained by its format", () => {
  expect(draw(true)).toContain('title="A gradient. This browser cannot show HEIC photos."');
});

it("a phone's photo whose copy is deleted is said to have no copy, not to need another browser", () => {
  expect(draw(false)).toContain('title="A gradient. There is no preview."');
});

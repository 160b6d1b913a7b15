import { command } from "../command.ts";
import { usage } from "../failure.ts";
import { bytesText, number, unitText } from "../output/format.ts";
import { writeFacts, writeTable } from "../output/table.ts";
import type { Output } from "../output/terminal.ts";
import { getRule, listOptions, type Rule, type Rules } from "../rules.ts";
import { anybody, COMMON, writeJson } from "../session.ts";

export const platforms = command({
  name: "platforms",
  summary: "Show the rules that each network's posts must follow.",
  positionals: [{ name: "name", description: "Show one platform with its options for --set." }],
  flags: COMMON,
  examples: [
    ["crier platforms", "Compare all networks."],
    ["crier platforms NAME", "Show all rules of one network and the options for `post --set`."],
  ],
  async run(args, shell) {
    const { out } = shell;
    const client = await anybody(args, shell);
    const { body } = await client.call("platforms.list");
    const [name] = args.positionals;
    if (name === undefined) {
      if (args.has("json")) writeJson(out, body);
      else writeAll(out, body);
      return 0;
    }
    if (body.request_only.includes(name)) {
      throw usage(`${name} is not supported yet.`, "POST /v1/connector-requests records that you want it");
    }
    const rule = getRule(name, body);
    if (args.has("json")) writeJson(out, rule);
    else writeOne(out, rule);
    return 0;
  },
});

function writeAll(out: Output, { platforms, request_only, upload }: Rules): void {
  writeTable(out, platforms, [
    { title: "platform", of: ({ platform }) => platform },
    {
      title: "publishes",
      of: ({ publishes }) => publishes.replace("_", " "),
      paint: (cell, { publishes }) => out.paint(publishes === "not_configured" ? "yellow" : "green", cell),
    },
    { title: "text", of: ({ text_limit }) => number(text_limit), align: "right" },
    { title: "caption", of: ({ caption_limit }) => number(caption_limit), align: "right" },
    { title: "unit", of: ({ text_unit }) => text_unit, least: 5 },
    { title: "images", of: ({ media }) => String(media.images), align: "right" },
    { title: "videos", of: ({ media }) => String(media.videos), align: "right" },
    { title: "API", of: ({ api }) => api?.version ?? "" },
    { title: "until", of: ({ api }) => api?.supported_until ?? "" },
    { title: "types", of: ({ post_types }) => post_types.join(" "), least: 8 },
  ]);
  out.line();
  out.line(
    upload.available
      ? `Uploads: images up to ${bytesText(upload.max_image_bytes)}, videos up to ${bytesText(upload.max_chunked_video_bytes)}.`
      : "This deployment does not accept uploads.",
  );
  if (request_only.length > 0) out.line(`On request only: ${request_only.join(", ")}.`);
}

const GUARANTEES: Record<Rule["delivery_guarantee"], string> = {
  exactly_once: "exactly once",
  reconciled: "reconciled after a lost response, never sent twice",
  at_most_once: "sent once; a lost response is reported as unknown",
};

function writeOne(out: Output, rule: Rule): void {
  const { media, price_usd: price } = rule;
  const longer = rule.caption_limit === rule.text_limit ? "" : `, ${number(rule.caption_limit)} with a file`;
  const total = media.total === undefined ? "" : `, ${media.total} files in all`;
  writeFacts(out, [
    ["platform", rule.platform],
    ["publishes", rule.publishes.replace("_", " ")],
    ["text", `${number(rule.text_limit)} ${unitText(rule.text_unit)}${longer}`],
    ...Object.entries(rule.tiers ?? {}).map(([tier, limits]): [string, string] => [
      `text (${tier})`,
      `${number(limits.text_limit)} ${unitText(rule.text_unit)}`,
    ]),
    ["bytes", rule.text_max_bytes === undefined ? null : `at most ${number(rule.text_max_bytes)} bytes of text`],
    [
      "files",
      `${media.images} images, ${media.videos} videos, ${media.mixed ? "mixed" : "not mixed"}${total}${rule.min_media > 0 ? `, at least ${rule.min_media}` : ""}`,
    ],
    ["image", rule.image === null ? "none" : fileText(rule.image)],
    ["video", rule.video === null ? "none" : fileText(rule.video)],
    ["types", rule.post_types.join(", ")],
    ["connect", rule.auth === "oauth" ? "consent in a browser" : "with credentials"],
    ["delivery", GUARANTEES[rule.delivery_guarantee]],
    ["figures", rule.measures ? "reported" : "none"],
    ["edit live", editText(rule)],
    ["take down", rule.takedown ? "crier take-down" : "only on the network itself"],
    [
      "price",
      price === undefined
        ? null
        : `$${price.post} a post, $${price.post_with_link} with a link, $${price.read} a recheck`,
    ],
    ["API", apiText(rule)],
    ["source", `${rule.source} (${rule.verified_at})`],
  ]);
  const options = listOptions(rule.options);
  if (options.length === 0) return;
  out.line();
  out.line(out.paint("bold", "Options for --set CHANNEL.OPTION=VALUE"));
  writeTable(out, options, [
    { title: "option", of: ({ name }) => name },
    { title: "needed", of: ({ required }) => (required ? "required" : "") },
    { title: "takes", of: ({ takes }) => takes, least: 16, folds: true },
    { title: "meaning", of: ({ description }) => description, least: 24, folds: true },
  ]);
}

/** The version of the network's API that calls use. The previous release does not send it. */
function apiText({ api }: Rule): string | null {
  if (!api?.version) return null;
  const end =
    api.supported_until === null ? "the network has announced no end date" : `supported until ${api.supported_until}`;
  return `${api.version}, ${end}${api.setting ? `; set by the operator with ${api.setting}` : ""}`;
}

/** Whether a live text can be edited. The previous release does not send it. */
function editText({ edit }: Rule): string | null {
  if (edit === undefined) return null;
  if (!edit.offered) return edit.reason ?? "only on the network itself";
  const { post_types: types, poll } = edit.only ?? {};
  const limits = [
    ...(types === undefined ? [] : [`only ${types.join(", ")}`]),
    ...(poll === false ? ["no polls"] : []),
  ];
  return ["crier edit-live", ...limits].join(", ");
}

function fileText({ types, max_bytes, max_seconds }: NonNullable<Rule["image"]>): string {
  const length = max_seconds === undefined ? "" : `, up to ${number(max_seconds)} s`;
  return `${types.map((type) => type.split("/")[1]).join(", ")}, up to ${bytesText(max_bytes)}${length}`;
}

import { describe, expect, it } from "vitest";
import { readFeedDocument } from "../../../../src/domain/feeds/read-document.ts";
import { FEED_ITEMS_MAX } from "../../../../src/domain/limits.ts";

const ADDRESS = "https://blog.example.com/feed.xml";
const read = (text: string) => readFeedDocument(text, ADDRESS);
const readItem = (inside: string) =>
  read(`<rss version="2.0"><channel><item>${inside}</item></channel></rss>`)?.items[0];

// The shapes are those of feeds of WordPress, Ghost, Blogger, GitHub and Mastodon (rssboard.org/rss-specification and RFC 4287,
// read 2026-11-27).
describe("readFeedDocument", () => {
  it("reads RSS 2.0 with CDATA, entities and other vocabularies", () => {
    const document = read(`<?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel><title>Engines &amp; looms</title><link>https://blog.example.com</link>
      <atom:link href="https://blog.example.com/feed.xml" rel="self" type="application/rss+xml"/>
      <image><title>Logo</title></image>
      <item><title><![CDATA[Bread & <b>butter</b>]]></title><link>https://blog.example.com/bread</link>
        <dc:creator><![CDATA[Ada]]></dc:creator><pubDate>Fri, 27 Nov 2026 01:00:00 +0000</pubDate>
        <guid isPermaLink="false">https://blog.example.com/?p=7</guid>
        <description><![CDATA[<p>It&#8217;s <em>good</em>.</p><p>Very.</p>]]></description>
        <content:encoded><![CDATA[<p>Long</p>]]></content:encoded>
        <media:content url="https://blog.example.com/a.jpg"><media:title>a.jpg</media:title></media:content>
      </item></channel></rss>`);
    expect(document).toEqual({
      title: "Engines & looms",
      items: [
        {
          identity: "https://blog.example.com/?p=7",
          title: "Bread & butter",
          link: "https://blog.example.com/bread",
          summary: "It’s good.\n\nVery.",
          author: "Ada",
          date: "Fri, 27 Nov 2026 01:00:00 +0000",
        },
      ],
    });
  });

  it("reads Atom with several links, and text, HTML and XHTML constructs", () => {
    const entry = (title: string, more = "") =>
      `<entry>${title}<id>urn:1</id><link rel="self" href="/self"/><link rel="alternate" href="/one"/>${more}</entry>`;
    const document = read(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title>${[
        entry('<title type="text">a &lt;b&gt; c</title>', "<author><name>Ada</name><uri>x</uri></author>"),
        entry('<title type="html">One &amp;amp; &lt;i&gt;two&lt;/i&gt;</title>', "<updated>2026-11-27</updated>"),
        entry(
          '<title type="xhtml"><div>One <b>two</b> &lt;i&gt;<script>x</script></div></title>',
          "<summary>Short</summary><content>Long</content>",
        ),
      ].join("")}</feed>`,
    );
    expect(document?.items.map(({ title, link }) => [title, link])).toEqual([
      ["a <b> c", "https://blog.example.com/one"],
      ["One & two", "https://blog.example.com/one"],
      ["One two <i>", "https://blog.example.com/one"],
    ]);
    expect(document?.items.map(({ summary, date }) => [summary, date])).toEqual([
      ["", ""],
      ["", "2026-11-27"],
      ["Short", ""],
    ]);
  });

  it("reads RSS 1.0, whose items stand beside the channel", () => {
    const document = read(`<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><channel><title>T</title></channel>
      <item rdf:about="x"><title>One</title><link>https://a.example/1</link></item></rdf:RDF>`);
    expect(document).toMatchObject({ title: "T", items: [{ identity: "https://a.example/1", title: "One" }] });
  });

  it.each([
    [
      "an address as id",
      "<title>a</title><guid>https://a.example/1</guid>",
      "https://a.example/1",
      "https://a.example/1",
    ],
    ["a name as id", '<title>a</title><guid isPermaLink="false">g1</guid>', "g1", null],
    ["a relative link", "<title>a</title><link>/1</link>", "https://blog.example.com/1", "https://blog.example.com/1"],
    ["only a title", "<title>a</title><pubDate>d</pubDate>", "a\nd", null],
    ["a script as address", "<title>a</title><link>javascript:alert(1)</link>", "a\n", null],
  ])("identifies an item with %s", (_, inside, identity, link) => {
    expect(readItem(inside)).toMatchObject({ identity, link });
  });

  it.each([
    ["a page", "<!doctype html><html><head><title>x</title></head><body><item><title>a</title></item></body></html>"],
    ["JSON", '{"version":"https://jsonfeed.org/version/1.1"}'],
    ["nothing", ""],
    ["an image", "\u0089PNG\r\n"],
  ])("refuses %s", (_, text) => {
    expect(read(text)).toBeNull();
  });

  it("leaves out items with nothing in them, and items beyond the first hundred", () => {
    expect(readItem("<pubDate>x</pubDate>")).toBeUndefined();
    const many = Array.from({ length: FEED_ITEMS_MAX + 50 }, (_, i) => `<item><title>${i}</title></item>`).join("");
    const items = read(`<rss><channel>${many}</channel></rss>`)?.items;
    expect(items?.map(({ title }) => Number(title))).toEqual(Array.from({ length: FEED_ITEMS_MAX }, (_, i) => i));
  });

  it("does not expand entities that a document declares, and reads deep nesting", () => {
    const bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
    expect(read(`${bomb}<rss><channel><item><title>&b;!</title></item></channel></rss>`)?.items[0]?.title).toBe("&b;!");
    expect(read(`<rss><channel>${"<a>".repeat(200_000)}`)).toEqual({ title: "", items: [] });
  });
});

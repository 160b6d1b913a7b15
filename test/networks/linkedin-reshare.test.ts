import { describe, expect, it } from "vitest";
import { readReshared } from "../../src/networks/linkedin/reshare.ts";

describe("the post that a LinkedIn post shares again", () => {
  it.each([
    ["urn:li:share:7400000000000000001", "urn:li:share:7400000000000000001"],
    ["https://www.linkedin.com/feed/update/urn:li:share:12/", "urn:li:share:12"],
    ["https://www.linkedin.com/feed/update/urn%3Ali%3AugcPost%3A12?x=1", "urn:li:ugcPost:12"],
    ["https://www.linkedin.com/embed/feed/update/urn:li:ugcPost:12", "urn:li:ugcPost:12"],
    ["https://www.linkedin.com/posts/crier_a-release-share-12-AbCd?utm_source=share", "urn:li:share:12"],
    ["https://linkedin.com/posts/crier_news-ugcPost-12-AbCd/", "urn:li:ugcPost:12"],
  ])("is named by %s", (value, urn) => {
    expect(readReshared(value)).toBe(urn);
  });

  it.each([
    "https://www.linkedin.com/posts/crier_news-activity-7400000000000000001-AbCd",
    "https://www.linkedin.com/feed/update/urn:li:activity:12/",
    "https://linkedin.com.example.net/feed/update/urn:li:share:12/",
    "http://www.linkedin.com/feed/update/urn:li:share:12/",
    "urn:li:share:12 ",
    "12",
  ])("is not named by %s", (value) => {
    expect(readReshared(value)).toBeNull();
  });
});

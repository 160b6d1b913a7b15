import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { call, signUp } from "../support/world.ts";

const GIB = 1024 ** 3;

it("simultaneous uploads are accepted as far as the plan allows, and each refusal has the usage at that time", async () => {
  const { key, workspace } = await signUp();
  await testEnv.DB.prepare("UPDATE workspaces SET plan = 'free', staged_bytes = ?2 WHERE id = ?1")
    .bind(workspace, GIB - 100)
    .run();
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      call<{ error?: string; used?: number }>("POST", "/v1/media/upload-url", {
        token: key,
        body: { content_type: "image/png", bytes: 60 },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 402, 402, 402, 402, 402]);
  for (const { status, body } of answers) {
    if (status === 402) expect(body).toMatchObject({ limit: "media_bytes", used: GIB - 40, allowed: GIB });
  }
});

// What no page of a network says: what to try with a real account, what the outcome would settle, and what trying it costs.
export interface OpenQuestion {
  /** What a person does and looks at. */
  ask: string;
  /** What Crier takes for true until then, and what the outcome decides. */
  settles: string;
  costs: string;
}

export interface AnsweredQuestion extends OpenQuestion {
  /** What the person saw; null: not tried. */
  seen: string | null;
}

/** By platform, in the order in which to try them: what stops a first post comes first. */
export const OPEN_QUESTIONS: Record<string, readonly OpenQuestion[]> = {
  bluesky: [
    {
      ask: "Post a video of more than 50 MB, and note whether the upload in parts went through.",
      settles: "Whether the video service takes parts as its lexicons say.",
      costs: "One public post, which is taken down.",
    },
  ],
  telegram: [
    {
      ask: "Post to a public channel with a name of 4 characters.",
      settles: "Which names a public chat may have.",
      costs: "One message, which is deleted.",
    },
  ],
  x: [
    {
      ask: "Note which parameter the calls to /2/tweets and /2/users/{id}/tweets have: post.fields or tweet.fields.",
      settles: "Which dialect X answers, and whether it refuses or ignores the other one.",
      costs: "$0.015 for a post, $0.005 for each post that is read.",
    },
    {
      ask: "Post a video of more than 4 MiB, and one of 1080 x 1920 pixels.",
      settles: "Whether segments of 1 MiB are taken, and how many pixels a video may have.",
      costs: "$0.03 for two posts.",
    },
    {
      ask: "Post a thread of two parts from an account without a subscription.",
      settles: "Whether a reply to one's own post counts among the replies that X restricts.",
      costs: "$0.03 for two posts.",
    },
  ],
  pinterest: [
    {
      ask: "Create a pin with an app that has Trial access, and note the status and code.",
      settles: "Whether it is refused (403, code 29), or created and shown to its owner only.",
      costs: "One pin.",
    },
    {
      ask: "Note the header x-ratelimit-reset of any answer.",
      settles: "Whether it counts seconds or names an instant.",
      costs: "Nothing.",
    },
  ],
  instagram: [
    {
      ask: "Post an upright photo of 3:4, and one of 0.74 width by height.",
      settles: "The smallest ratio that a container takes; Crier warns from 0.8 down to 0.73.",
      costs: "Two public posts, which only their owner can delete.",
    },
    {
      ask: "Post a caption of 2,200 characters, 10 of them emoji.",
      settles: "In which unit a caption is counted.",
      costs: "One public post, which only its owner can delete.",
    },
  ],
  threads: [
    {
      ask: "Connect an app without threads_manage_replies and post a first comment; note status, code and subcode.",
      settles: "The error code of a missing permission.",
      costs: "One public post.",
    },
  ],
  tiktok: [
    {
      ask: "Post a video with an app without the audit, from a public and from a private account.",
      settles: "Whether a public account is refused even with SELF_ONLY.",
      costs: "One private post, which only its owner can delete.",
    },
    {
      ask: "Register a redirect address that contains the network's name.",
      settles: "Whether the portal refuses it; Crier's ends in /tt.",
      costs: "Nothing.",
    },
  ],
  linkedin: [
    {
      ask: "Connect, and note whether a call in the first 10 seconds is answered 401 with code 65601 or 65602.",
      settles: "How long Crier has to wait before it believes a 401.",
      costs: "Nothing.",
    },
    {
      ask: "Post a picture of 8 MB, and a first comment of more than 1,250 characters.",
      settles: "The largest picture and the longest comment.",
      costs: "One public post, which is deleted.",
    },
  ],
  youtube: [
    {
      ask: "Upload a video, and note how long it is missing from videos.list.",
      settles: "How long Crier has to wait before it calls a video removed.",
      costs: "One private video, and 1 of the project's 100 uploads of the day.",
    },
  ],
  facebook: [
    {
      ask: "Open the post's address in a window that is signed out; if it is hidden, switch the app to Live mode and look again.",
      settles: "Whether everybody sees posts of Development mode once the app is live, as Meta's page says.",
      costs: "One public post, which is deleted.",
    },
    {
      ask: "Ask for a post that was deleted, and note code and subcode.",
      settles: "Whether 100/33 is what a missing object is answered.",
      costs: "Nothing.",
    },
  ],
};

/** Puts the open questions of a network to a person, in their order. An empty answer skips a question. */
export async function walkQuestions(
  platform: string,
  ask: (question: string) => Promise<string>,
): Promise<AnsweredQuestion[]> {
  const questions = OPEN_QUESTIONS[platform] ?? [];
  const answered: AnsweredQuestion[] = [];
  for (const [index, question] of questions.entries()) {
    const heading = `\nQuestion ${index + 1} of ${questions.length}: ${question.ask}`;
    const reply = await ask(
      `${heading}\n  It settles: ${question.settles}\n  It costs: ${question.costs}\n  What did you see? (Enter skips it) `,
    );
    answered.push({ ...question, seen: reply.trim() === "" ? null : reply.trim() });
  }
  return answered;
}

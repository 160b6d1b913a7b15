// A bucket binding that charges its calls to an allowance before it makes them (-> domain/work-allowance.ts).
import type { Allowance } from "../domain/work-allowance.ts";

/** Behaves like `bucket`, but each call, and each call of a multipart upload, first waits until the allowance grants it. */
export const limitBucket = (bucket: R2Bucket, allowance: Allowance): R2Bucket => limitMethods(bucket, allowance);

function limitMethods<Target extends R2Bucket | R2MultipartUpload>(limited: Target, allowance: Allowance): Target {
  return new Proxy(limited, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...input: unknown[]) => {
        await allowance.take("fetches", 1);
        const answer: unknown = await Reflect.apply(member, target, input);
        return isUpload(answer) ? limitMethods(answer, allowance) : answer;
      };
    },
  });
}

const isUpload = (answer: unknown): answer is R2MultipartUpload =>
  typeof answer === "object" && answer !== null && "uploadPart" in answer;

/** Calls `stop` once the process is told to end, or its npm has ended: it must not leave what it started behind. */
export function whenStopped(stop: () => void): void {
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  if (process.env.npm_lifecycle_event === undefined) return;
  // npm hands a signal to its shell alone, which dies of it and leaves us behind.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 500);
  watch.unref();
}

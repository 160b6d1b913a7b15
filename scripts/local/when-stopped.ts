/** Calls `stop` when the process is told to end, or its npm has ended, so that no child process is left behind. */
export function whenStopped(stop: () => void): void {
  let isStopping = false;
  const tell = () => {
    if (isStopping) return;
    isStopping = true;
    stop();
  };
  // A terminal and npm may both forward the same Ctrl-C, and the second must not interrupt the cleanup.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, tell);
  if (process.env.npm_lifecycle_event === undefined) return;
  // npm forwards a signal only to its shell, which exits and leaves this process running.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    tell();
  }, 500);
  watch.unref();
}

/** Calls `stop` once the process is told to end, or its npm has ended: it must not leave what it started behind. */
export function whenStopped(stop: () => void): void {
  let isStopping = false;
  const tell = () => {
    if (isStopping) return;
    isStopping = true;
    stop();
  };
  // A terminal and npm may both hand on the same Ctrl-C: the second must not end us half-way.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, tell);
  if (process.env.npm_lifecycle_event === undefined) return;
  // npm hands a signal to its shell alone, which dies of it and leaves us behind.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    tell();
  }, 500);
  watch.unref();
}

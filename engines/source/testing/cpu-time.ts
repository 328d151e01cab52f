/** Returns for how many milliseconds `work` kept this thread busy. Unlike the clock, it ignores other load. */
export async function cpuMilliseconds(work: () => unknown): Promise<number> {
  const started = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(started)
  return (user + system) / 1_000
}

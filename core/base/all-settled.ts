/** Waits for all promises before it rethrows a failure, so that no work continues in the background. */
export async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(work)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Both or neither: the failure of one stops the other, and is not thrown before the other has ended. */
export async function together<A, B>(
  signal: AbortSignal,
  start: (both: AbortSignal) => readonly [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const failed = new AbortController()
  const works = start(AbortSignal.any([signal, failed.signal]))
  for (const work of works) work.catch((error: unknown) => failed.abort(error))
  const [first, second] = await Promise.allSettled(works)
  failed.signal.throwIfAborted()
  if (first.status === 'rejected') throw first.reason
  if (second.status === 'rejected') throw second.reason
  return [first.value, second.value]
}

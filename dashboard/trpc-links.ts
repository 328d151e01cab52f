import type { TRPCLink } from '@trpc/client'
import { type Observable, observable, share } from '@trpc/server/observable'
import type { AppRouter } from '../core/router.ts'

type Answer = ReturnType<ReturnType<TRPCLink<AppRouter>>>

/** The address of the user for whom the server sent this page. */
const pageUser = document.querySelector<HTMLMetaElement>('meta[name="assay-user"]')?.content

/** Names the user of the page in each call: the server refuses it if another tab has signed in someone else since. */
export const forUserOfPage: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    next(pageUser === undefined ? op : { ...op, input: { ...(op.input as object | undefined), userEmail: pageUser } })

/** Whether the server refused a call, because the session is no longer that of the user of the page. */
export const isOfOtherUser = (message: string) => message.startsWith('userEmail:')

/** Sends a mutation once if it is asked for again before it is answered, as by a double click. */
export const onceAtATime: TRPCLink<AppRouter> = () => {
  const pending = new Map<string, Answer>()
  return ({ next, op }) => {
    if (op.type !== 'mutation') return next(op)
    const key = `${op.path} ${JSON.stringify(op.input)}`
    const known = pending.get(key)
    if (known) return known
    const answer: Answer = observable((observer) => {
      const sent = next(op).subscribe(observer)
      return () => {
        pending.delete(key)
        sent.unsubscribe()
      }
    })
    const shared = answer.pipe(share()) as Observable<never, never> as Answer
    pending.set(key, shared)
    return shared
  }
}

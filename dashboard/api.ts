import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink, httpLink, splitLink, TRPCClientError } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import type { AppRouter } from '../core/router.ts'
import { forUserOfPage, isOfOtherUser, onceAtATime } from './trpc-links.ts'
import { announceProblem, sessionEnded, userChanged } from './shell/notices.ts'

export type Outputs = inferRouterOutputs<AppRouter>
export type Inputs = inferRouterInputs<AppRouter>

export const client = createTRPCClient<AppRouter>({
  links: [
    onceAtATime,
    forUserOfPage,
    splitLink({
      // A batch is answered when its slowest call is.
      condition: ({ path, input }) => slow.has(path) || mayWait(input),
      true: httpLink({ url: '/trpc', methodOverride: 'POST' }),
      false: httpBatchLink({
        url: '/trpc',
        // Addresses of queries with long filters would exceed what proxies accept.
        methodOverride: 'POST',
        maxItems: 20,
      }),
    }),
  ],
})

/** Calls that wait for a decision, or that read the repository. */
const slow: ReadonlySet<string> = new Set(['gate.check', 'gate.get', 'gate.files', 'gate.previewPolicy'])

function mayWait(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'waitSeconds' in input && Number(input.waitSeconds) > 0
}

/** Retries what can succeed later: a lost connection, an overloaded server, too many requests. */
function shouldRetry(failureCount: number, error: unknown): boolean {
  if (failureCount >= 4) return false
  const status = statusOf(error)
  return status === undefined || status === 429 || status === 503
}

function retryDelay(failureCount: number, error: unknown): number {
  const after = error instanceof TRPCClientError ? Number(error.data?.retryAfter) : Number.NaN
  return after > 0 ? after * 1_000 : Math.min(500 * 2 ** failureCount, 10_000)
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEndOfSession }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => {
      noticeEndOfSession(error)
      if (statusOf(error) !== 401 && !meta?.['isShown']) announceProblem(messageOf(error))
    },
  }),
  defaultOptions: {
    queries: { retry: shouldRetry, retryDelay, staleTime: 5_000, gcTime: 10 * 60_000 },
    mutations: { retry: false },
  },
})

export const trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient })

function noticeEndOfSession(error: unknown): void {
  if (statusOf(error) === 401) sessionEnded()
  if (error instanceof Error && isOfOtherUser(error.message)) userChanged()
}

/** The HTTP status of a refused call; undefined if the server did not answer. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof TRPCClientError)) return undefined
  const status: unknown = error.data?.httpStatus
  return typeof status === 'number' ? status : undefined
}

/** A sentence for the user: the server's own message, or that there was no answer. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (statusOf(error) === 401) return 'Sign in again to load this.'
  if (isOfOtherUser(message)) return 'Someone else has signed in in this browser. Reload the page.'
  if (statusOf(error) !== undefined) return withFieldInWords(message)
  if (!(error instanceof TRPCClientError))
    return 'This page could not be loaded. Reload it, because Assay may have been updated.'
  return navigator.onLine
    ? 'The server did not answer. Check that Assay is running, then try again.'
    : 'This browser is offline. The page continues when the connection is back.'
}

/** `testEnv: must …` as `Test env: must …`, `apiUrl: must …` as `API URL: must …`. */
const withFieldInWords = (message: string) =>
  message.replace(/^[a-z][A-Za-z]*(?=: )/, (field) => {
    const words = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    const sentence = words.slice(0, 1).toUpperCase() + words.slice(1)
    return sentence.replaceAll(/\b(?:api|url|id)\b/gi, (word) => word.toUpperCase())
  })

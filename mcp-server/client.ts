import { createTRPCClient, httpLink, TRPCClientError, type TRPCClient } from '@trpc/client'
import type { AppRouter } from '../core/router.ts'
import { cleanLine, shorten } from './sanitize.ts'

export type CoreClient = TRPCClient<AppRouter>

/** Clients give up on a tool after 60 s: ours must have said why before. */
const callTimeoutMs = 55_000

export interface CoreClientOptions {
  baseUrl: string
  token: string | undefined
  /** Joins core's log lines to ours. */
  requestId: string
  signal?: AbortSignal
  timeoutMs?: number
}

/** Core as the owner of `token` sees it, for the length of one tool call. */
export function createCoreClient(options: CoreClientOptions): CoreClient {
  const { baseUrl, token, requestId, signal, timeoutMs = callTimeoutMs } = options
  const deadline = AbortSignal.timeout(timeoutMs)
  return createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${baseUrl}/trpc`,
        headers: { 'x-request-id': requestId, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
        fetch: (url, init) => {
          const signals = [init?.signal, signal, deadline].filter((one) => one != null)
          return fetch(url, { ...init, signal: AbortSignal.any(signals) })
        },
      }),
    ],
  })
}

export type CoreFailure =
  | { kind: 'refused'; code: string; status: number; message: string }
  | { kind: 'unreachable' | 'timeout' | 'cancelled' | 'not_core' }

/** What became of a call to core; undefined when the error does not come from one. */
export function coreFailure(error: unknown): CoreFailure | undefined {
  if (!(error instanceof TRPCClientError)) return undefined
  const data: unknown = error.data
  if (typeof data === 'object' && data !== null && 'code' in data && typeof data.code === 'string') {
    const status = 'httpStatus' in data && typeof data.httpStatus === 'number' ? data.httpStatus : 500
    return { kind: 'refused', code: data.code, status, message: error.message }
  }
  const cause = error.cause
  if (cause?.name === 'TimeoutError') return { kind: 'timeout' }
  if (cause?.name === 'AbortError') return { kind: 'cancelled' }
  // `fetch` says TypeError for everything between us and an answer.
  if (cause instanceof TypeError) return { kind: 'unreachable' }
  return { kind: 'not_core' }
}

/**
 * Says to an agent what failed and what to do next. `message` of a refusal is core's own, but may quote names that
 * others chose, so it is cleaned and cut.
 */
export function explainFailure(failure: CoreFailure, baseUrl: string, scope: string | null): string {
  if (failure.kind === 'refused') return explainRefusal(failure.code, sentence(failure.message), scope)
  return noAnswer[failure.kind](baseUrl)
}

const noAnswer: Record<Exclude<CoreFailure['kind'], 'refused'>, (baseUrl: string) => string> = {
  unreachable: (baseUrl) =>
    `Assay's core does not answer at ${baseUrl}. Start it with \`npm start\`, or set SVC_BASE_URL to where it runs.`,
  not_core: (baseUrl) => `What answers at ${baseUrl} is not Assay's core. Set SVC_BASE_URL to where core runs.`,
  timeout: () =>
    `Core did not answer within ${callTimeoutMs / 1_000} s. Try again; if it stays so, ask for less or look at core's log.`,
  cancelled: () => 'The call was cancelled.',
}

function explainRefusal(code: string, message: string, scope: string | null): string {
  switch (code) {
    case 'UNAUTHORIZED':
    case 'SESSION_EXPIRED':
      return (
        `Core refused the token: ${message} ` +
        'Over stdio set SVC_API_TOKEN or run `npm start` once, which writes DATA_DIR/token; over HTTP send a valid bearer.'
      )
    case 'FORBIDDEN':
      return (
        `Not allowed: ${message} ` +
        (scope && !message.includes(scope) ? `This tool needs a token with the scope ${scope}; ` : '') +
        'whoami shows what yours may do.'
      )
    case 'NOT_FOUND':
      return message
    case 'BAD_REQUEST':
      return `Core did not accept the arguments: ${message}`
    case 'RATE_LIMITED':
    case 'TOO_MANY_REQUESTS':
      return `Too many calls: ${message} Wait before you call again.`
    case 'PAYLOAD_TOO_LARGE':
      return `Too large for core: ${message}`
    default:
      return `${code}: ${message}`
  }
}

/** Core names procedures in its hints; an agent knows them as tools. */
const toolNames: Readonly<Record<string, string>> = {
  'projects.getProjects': 'list_projects',
  'projects.getProject': 'get_project',
  'projects.createProject': 'create_project',
  'projects.getProjectAnalyses': 'get_project',
  'analysis.analyzeRepository': 'analyze_repository',
  'analysis.startAnalysis': 'analyze_repository',
  'analysis.getAnalysis': 'get_analysis',
  'analysis.suggestTests': 'suggest_tests',
  'tokens.current': 'whoami',
}

function sentence(message: string): string {
  const line = shorten(cleanLine(message), 500)
  const inTools = line.replaceAll(/\b[a-z]+\.[a-z][A-Za-z]+\b/g, (name) => toolNames[name] ?? name)
  return /[.!?…]$/.test(inTools) ? inTools : `${inTools}.`
}

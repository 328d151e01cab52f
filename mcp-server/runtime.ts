import type { ServerContext } from '@modelcontextprotocol/server'
import type { Credentials } from '../client/credentials.ts'
import type { LocalAnalyzer } from '../client/local-analysis.ts'
import type { RecentSuggestions } from './answers/recent-suggestions.ts'
import type { Log } from './log.ts'
import type { Selection } from './selection.ts'

/** The caller of a request. */
export interface Caller {
  baseUrl: string
  token: string | undefined
  /** Identifies the caller without the token. */
  key: string
  /** Where the server found the token; undefined where the caller sent it. */
  source?: Credentials['source'] | undefined
  tokenFile?: string | undefined
  /** Scopes of the token; undefined where core did not return them, and decides at the call. */
  scopes: readonly string[] | undefined
  /** The caller's choice within the operator's. */
  selection: Selection
}

/** State that all connections of a process share. */
export interface Runtime {
  log: Log
  suggestions: RecentSuggestions
  /** Present over stdio only. */
  local: LocalAnalyzer | undefined
  /** @param needs - whether the request needs the scopes, which can take a call to core */
  caller: (ctx: ServerContext, needs: { scopes: boolean }) => Promise<Caller>
}

import type { Context } from '../base/context.ts'

/** The part of a context that calls to the code host need. */
export type CodeHostContext = Pick<Context, 'config' | 'db' | 'log' | 'now' | 'signal'>

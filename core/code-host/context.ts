import type { Context } from '../base/context.ts'

export type CodeHostContext = Pick<Context, 'config' | 'db' | 'log' | 'now' | 'signal'>

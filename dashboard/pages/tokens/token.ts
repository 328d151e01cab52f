import type { Outputs } from '../../api.ts'

export type Token = Outputs['tokens']['list'][number]

export const stateOf = (token: Token, now: number) =>
  token.revokedAt ? 'revoked' : Date.parse(token.expiresAt) <= now ? 'expired' : 'valid'

import { z } from 'zod'
import { procedure, router } from '../../http/trpc.ts'
import { createToken } from './create.ts'
import { currentToken } from './current.ts'
import { listTokens } from './list.ts'
import { revokeToken } from './revoke.ts'
import { CreatedToken, CreateToken, CurrentToken, RevokeToken, Token } from './schema.ts'

export const tokensRouter = router({
  create: procedure
    .input(CreateToken)
    .output(CreatedToken)
    .mutation(({ ctx, input }) => createToken(ctx, input)),
  list: procedure.output(z.array(Token)).query(({ ctx }) => listTokens(ctx)),
  revoke: procedure
    .input(RevokeToken)
    .output(Token)
    .mutation(({ ctx, input }) => revokeToken(ctx, input)),
  current: procedure.output(CurrentToken).query(({ ctx }) => currentToken(ctx)),
})

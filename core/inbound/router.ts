import { procedure, router } from '../http/trpc.ts'
import { listInbound } from './list.ts'
import { InboundPage, ListInbound } from './schema.ts'

export const inboundRouter = router({
  list: procedure
    .input(ListInbound)
    .output(InboundPage)
    .query(({ ctx, input }) => listInbound(ctx, input)),
})

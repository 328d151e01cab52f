import { RotatedInboundSecret, RotateInboundSecret } from './schema.ts'
import { rotateInboundSecret } from './secrets.ts'
import { procedure, router } from '../http/trpc.ts'
import { listInbound } from './list.ts'
import { InboundPage, ListInbound } from './schema.ts'

export const inboundRouter = router({
  list: procedure
    .input(ListInbound)
    .output(InboundPage)
    .query(({ ctx, input }) => listInbound(ctx, input)),
})

/** A project's secret for inbound deliveries, under `projects`. */
export const projectInboundRouter = router({
  rotateInboundSecret: procedure
    .input(RotateInboundSecret)
    .output(RotatedInboundSecret)
    .mutation(({ ctx, input }) => rotateInboundSecret(ctx, input)),
})

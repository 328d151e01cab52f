import { procedure, router } from '../http/trpc.ts'
import { grantQuarantine } from './grant.ts'
import { listQuarantines } from './list.ts'
import { releaseQuarantine } from './release.ts'
import { requestQuarantine } from './request.ts'
import {
  GrantQuarantine,
  ListQuarantines,
  Quarantine,
  QuarantinesPage,
  ReleaseQuarantine,
  RequestQuarantine,
} from './schema.ts'

export const quarantineRouter = router({
  request: procedure
    .input(RequestQuarantine)
    .output(Quarantine)
    .mutation(({ ctx, input }) => requestQuarantine(ctx, input)),
  grant: procedure
    .input(GrantQuarantine)
    .output(Quarantine)
    .mutation(({ ctx, input }) => grantQuarantine(ctx, input)),
  release: procedure
    .input(ReleaseQuarantine)
    .output(Quarantine)
    .mutation(({ ctx, input }) => releaseQuarantine(ctx, input)),
  list: procedure
    .input(ListQuarantines)
    .output(QuarantinesPage)
    .query(({ ctx, input }) => listQuarantines(ctx, input)),
})

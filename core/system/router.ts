import { procedure, router } from '../http/trpc.ts'
import { SystemStatus } from './schema.ts'
import { systemStatus } from './status.ts'

export const systemRouter = router({
  status: procedure.output(SystemStatus).query(({ ctx }) => systemStatus(ctx)),
})

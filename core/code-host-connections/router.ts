import { procedure, router } from '../http/trpc.ts'
import { getConnection, removeConnection, setConnection } from './connection.ts'
import { ConnectionRef, FoundConnection, SetConnection } from './schema.ts'

export const connectionsRouter = router({
  getConnection: procedure
    .input(ConnectionRef)
    .output(FoundConnection)
    .query(({ ctx, input }) => getConnection(ctx, input)),
  setConnection: procedure
    .input(SetConnection)
    .output(FoundConnection)
    .mutation(({ ctx, input }) => setConnection(ctx, input)),
  removeConnection: procedure
    .input(ConnectionRef)
    .output(FoundConnection)
    .mutation(({ ctx, input }) => removeConnection(ctx, input)),
})

import { z } from 'zod'
import { listAuditLogs } from '../audit/list.ts'
import { AuditLog, ListAuditLogs } from '../audit/schema.ts'
import { getSessionInfo } from '../sessions/get.ts'
import { listSessions } from '../sessions/list.ts'
import { invalidateSession, revokeOtherSessions, revokeSession } from '../sessions/revoke.ts'
import { Done, RevokeSession, Session, SessionInfo } from '../sessions/schema.ts'
import { openProcedure, procedure, router } from '../../http/trpc.ts'
import { getProfile, updateProfile } from './profile.ts'
import { UpdateProfile } from './schema.ts'
import { User } from '../users/schema.ts'

export const authRouter = router({
  getSession: openProcedure.output(SessionInfo).query(({ ctx }) => getSessionInfo(ctx)),
  getProfile: procedure.output(User).query(({ ctx }) => getProfile(ctx)),
  updateProfile: procedure
    .input(UpdateProfile)
    .output(User)
    .mutation(({ ctx, input }) => updateProfile(ctx, input)),
  listSessions: procedure.output(z.array(Session)).query(({ ctx }) => listSessions(ctx)),
  revokeSession: procedure
    .input(RevokeSession)
    .output(Done)
    .mutation(({ ctx, input }) => revokeSession(ctx, input)),
  revokeOtherSessions: procedure.output(Done).mutation(({ ctx }) => revokeOtherSessions(ctx)),
  invalidateSession: procedure.output(Done).mutation(({ ctx }) => invalidateSession(ctx)),
  getAuditLogs: procedure
    .input(ListAuditLogs)
    .output(z.array(AuditLog))
    .query(({ ctx, input }) => listAuditLogs(ctx, input)),
})

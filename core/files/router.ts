import { z } from 'zod'
import { procedure, router } from '../http/trpc.ts'
import { listFiles } from './get.ts'
import { FileRef, ListFiles, StoredFile, ViewLink } from './schema.ts'
import { createViewLink } from './view-link.ts'

export const filesRouter = router({
  list: procedure
    .input(ListFiles)
    .output(z.array(StoredFile))
    .query(({ ctx, input }) => listFiles(ctx, input)),
  createViewLink: procedure
    .input(FileRef)
    .output(ViewLink)
    .mutation(({ ctx, input }) => createViewLink(ctx, input)),
})

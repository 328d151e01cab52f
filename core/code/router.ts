import { procedure, router } from '../http/trpc.ts'
import { getFile } from './get-file.ts'
import { getLines } from './get-lines.ts'
import { listFiles } from './list-files.ts'
import { CodeFile, CodeLines, FilesPage, GetFile, GetLines, ListFiles } from './schema.ts'

export const codeRouter = router({
  getFile: procedure
    .input(GetFile)
    .output(CodeFile)
    .query(({ ctx, input }) => getFile(ctx, input)),
  getLines: procedure
    .input(GetLines)
    .output(CodeLines)
    .query(({ ctx, input }) => getLines(ctx, input)),
  listFiles: procedure
    .input(ListFiles)
    .output(FilesPage)
    .query(({ ctx, input }) => listFiles(ctx, input)),
})

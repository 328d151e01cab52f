import { z } from 'zod'

/** Why a file does not count as hand-written source of the project. */
export const FileTag = z.enum(['vendored', 'generated', 'documentation', 'test', 'symlink', 'submodule'])
export type FileTag = z.infer<typeof FileTag>

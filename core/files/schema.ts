import { z } from 'zod'

/** Slashes separate segments. The name is never used as a path on a disk. */
export const FileName = z
  .string()
  .min(1)
  .max(512)
  .refine(isPlainName, 'must be names separated by single slashes, without control characters and backslashes')

function isPlainName(name: string): boolean {
  if (!name.isWellFormed() || /[\p{Cc}\\]/u.test(name)) return false
  return name.split('/').every((segment) => !['', '.', '..'].includes(segment))
}

/** `-` is not a valid id, because it means "no run" in URLs. */
export const RunId = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/, 'must be the id of a run')

const userEmail = z.string().max(320).optional()

export const FileRef = z.object({
  projectId: z.string(),
  /** Null for a file that belongs to no run. */
  runId: RunId.nullable(),
  name: FileName,
  userEmail,
})
export type FileRef = z.infer<typeof FileRef>

export const StoredFile = z.object({
  id: z.string(),
  projectId: z.string(),
  runId: z.string().nullable(),
  name: z.string(),
  /** Given by the sender. The file may be served with another type. */
  contentType: z.string(),
  size: z.int(),
  sha256: z.string(),
  createdAt: z.iso.datetime(),
  /** The path of the download URL. */
  path: z.string(),
})
export type StoredFile = z.infer<typeof StoredFile>

export const ListFiles = z.object({
  projectId: z.string(),
  /** Only files of this run; null for files that belong to no run. */
  runId: RunId.nullable().optional(),
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
  userEmail,
})
export type ListFiles = z.infer<typeof ListFiles>

/** Anyone with the URL can view the file and the files below its folder. */
export const ViewLink = z.object({ url: z.string(), expiresAt: z.iso.datetime() })
export type ViewLink = z.infer<typeof ViewLink>

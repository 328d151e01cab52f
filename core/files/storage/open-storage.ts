import type { StorageConfig } from '../../base/storage-url.ts'
import { openFolder } from './folder.ts'
import { openS3 } from './s3.ts'
import type { FileStorage } from './storage.ts'

/** Opens the storage that `STORAGE_URL` names. */
export async function openStorage(config: StorageConfig): Promise<FileStorage> {
  return config.kind === 'folder' ? openFolder(config.path) : openS3(config)
}

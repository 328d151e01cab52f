import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ownName } from '../../engines/source/process-name.ts'
import type { Config } from '../config.ts'

type Data = Pick<Config, 'dataDir'>

export const snapshotsDirectory = ({ dataDir }: Data): string => join(dataDir, 'snapshots')

/** The folder of all snapshots of a project. */
export const projectSnapshots = (config: Data, projectId: string): string => join(snapshotsDirectory(config), projectId)

/** The bare repository of a snapshot. */
export const snapshotDirectory = (config: Data, { projectId, id }: { projectId: string; id: string }): string =>
  join(projectSnapshots(config, projectId), `${id}.git`)

/** Uploads that are not complete. On the same file system as the snapshots, so that a rename completes one. */
export const incomingDirectory = (config: Data): string => join(snapshotsDirectory(config), 'incoming')

/** A folder for an upload, which names the process that receives it. */
export const newUploadDirectory = async (config: Data): Promise<string> =>
  join(incomingDirectory(config), `${await ownName()}.${randomUUID()}`)

/** The process that receives an upload, by the name of its folder. */
export const receiverOf = (upload: string): string => upload.split('.')[0] ?? ''

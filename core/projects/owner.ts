import type { ProjectRow } from './entity.ts'

/** Returns the owner that shares limits: the organization, or the user for personal projects. */
export const ownerOf = ({ organizationId, userId }: Pick<ProjectRow, 'organizationId' | 'userId'>) =>
  organizationId ?? userId

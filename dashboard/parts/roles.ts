import { useQuery } from '@tanstack/react-query'
import type { Role } from '../../core/identity/organizations/schema.ts'
import { trpc } from '../api.ts'

/** What each role may do besides what the roles before it may do, in ascending order. */
export const roleTexts: Record<Role, string> = {
  viewer: 'Reads projects, settings, analyses, test runs, members and webhooks. Sees no secrets.',
  member: 'Creates, updates and analyzes projects. Starts and cancels test runs and verifications.',
  admin:
    'Deletes projects. Changes settings, secrets and webhooks. Invites and removes members and changes roles up to admin.',
  owner: 'Invites, removes and changes owners. Deletes the organization.',
}

export const roles = Object.keys(roleTexts) as Role[]

export function isAtLeast(role: Role | undefined, minRole: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(minRole)
}

/** Returns the user's role in an organization; in personal projects (null), the user is the owner. */
export function useRole(organizationId: string | null | undefined): Role | undefined {
  const { data } = useQuery(trpc.organizations.list.queryOptions(undefined, { staleTime: 30_000 }))
  if (organizationId === null) return 'owner'
  return data?.find(({ id }) => id === organizationId)?.role
}

/** Returns the user's role in a project. */
export function useProjectRole(projectId: string): Role | undefined {
  const { data } = useQuery(trpc.projects.getProject.queryOptions({ projectId }, { staleTime: 30_000 }))
  return useRole(data?.organizationId)
}

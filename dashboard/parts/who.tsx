import { useQuery } from '@tanstack/react-query'
import { trpc } from '../api.ts'
import { ShortText } from './long-text.tsx'

/** Returns the name of a user of a project, or undefined where the caller may not see it. */
export function useNames(projectId: string): (userId: string) => string | undefined {
  const session = useQuery(trpc.auth.getSession.queryOptions(undefined, { staleTime: 60_000 }))
  const project = useQuery(trpc.projects.getProject.queryOptions({ projectId }, { staleTime: 30_000 }))
  const organizationId = project.data?.organizationId ?? undefined
  const members = useQuery(
    trpc.organizations.getMembers.queryOptions(
      { organizationId: organizationId ?? '' },
      { enabled: organizationId !== undefined, staleTime: 60_000 },
    ),
  )
  return (userId) => {
    if (session.data?.user?.id === userId) return 'you'
    const member = members.data?.find((each) => each.userId === userId)
    return member?.name ?? member?.email
  }
}

export function Who({ name }: { name: string | undefined }) {
  return name === undefined ? <span className="quiet">–</span> : <ShortText text={name} limit={40} />
}

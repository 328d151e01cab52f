import { encryptToken } from '../../core/code-host-connections/connected-host.ts'
import { CodeHostConnectionEntity } from '../../core/code-host-connections/entity.ts'
import { before, day, hour } from './random.ts'
import type { Scene } from './target.ts'

/** Fills the connection of a project to a code host that had a problem. */
export async function fillConnection({ app, project, now, userIds }: Scene): Promise<void> {
  await app.dataSource.getRepository(CodeHostConnectionEntity).insert({
    projectId: project.id,
    kind: 'gitlab',
    apiUrl: 'https://gitlab.example.com/api/v4',
    token: encryptToken(app.services.config, project.id, 'glpat-example'),
    repository: project.repository,
    setBy: userIds[0] ?? null,
    setAt: before(now, 9 * day),
    lastProblem: 'The code host rejects the token: it is wrong, was revoked or has expired. Set another one.',
    lastProblemAt: before(now, 3 * hour),
  })
}

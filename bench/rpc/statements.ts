import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import pg from 'pg'

/** The statements of Assay for one `projects.getProjects`, for one token each. They are prepared, as in Assay. */
const authenticate = {
  name: 'authenticate',
  text: `
  SELECT t.id, t.token_hash, t.user_id, t.scopes, t.organization_id, t.project_id, t.expires_at, t.revoked_at,
         t.last_used_at, t.refused_at, u.email, u.name
    FROM api_tokens t JOIN users u ON u.id = t.user_id
   WHERE t.token_hash = $1`,
}

const listProjects = {
  name: 'list-projects',
  text: `
  SELECT id, name, description, repository, branch, language, framework, user_id AS "userId",
         organization_id AS "organizationId", created_at AS "createdAt", updated_at AS "updatedAt"
    FROM projects
   WHERE id IN (
           SELECT id FROM projects WHERE user_id = $1 AND organization_id IS NULL
            UNION ALL
           SELECT p.id FROM memberships m JOIN projects p ON p.organization_id = m.organization_id WHERE m.user_id = $1)
   ORDER BY id DESC`,
}

export function createPool(): pg.Pool {
  return new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
}

/** Runs the two statements. */
export async function getProjects(pool: pg.Pool, req: IncomingMessage) {
  const token = req.headers.authorization?.slice('Bearer '.length) ?? ''
  const hash = createHash('sha256').update(token).digest('hex')
  const found = await pool.query<{ user_id: string }>({ ...authenticate, values: [hash] })
  const { rows } = await pool.query<object>({ ...listProjects, values: [found.rows[0]?.user_id] })
  return rows
}

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import pg from 'pg'

/** The statements of Assay for one `projects.getProjects`, so that the bare servers cause the same database load. */
const authenticate = `SELECT t.id, t.user_id, t.scopes, t.organization_id, t.project_id, t.expires_at, t.revoked_at, t.last_used_at,
            u.email, u.name
       FROM api_tokens t JOIN users u ON u.id = t.user_id
      WHERE t.token_hash = $1`

const listProjects = `SELECT id, name, description, repository, branch, language, framework, user_id, organization_id, created_at, updated_at
   FROM projects WHERE user_id = $1 ORDER BY id DESC`

export function createPool(): pg.Pool {
  return new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
}

/** Runs the two statements and renames the columns like the API. */
export async function getProjects(pool: pg.Pool, req: IncomingMessage) {
  const token = req.headers.authorization?.slice('Bearer '.length) ?? ''
  const hash = createHash('sha256').update(token).digest('hex')
  const found = await pool.query<{ user_id: string }>(authenticate, [hash])
  const { rows } = await pool.query(listProjects, [found.rows[0]?.user_id])
  return rows.map(({ user_id, organization_id, created_at, updated_at, ...row }) => ({
    ...row,
    userId: user_id,
    organizationId: organization_id,
    createdAt: created_at,
    updatedAt: updated_at,
  }))
}

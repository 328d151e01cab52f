import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import pg from 'pg'
import { selectTokens } from '../../core/identity/tokens/find.ts'
import { listOwnProjects } from '../../core/projects/get.ts'

export function createPool(): pg.Pool {
  return new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
}

/** Runs the two statements of Assay for one `projects.getProjects`, prepared as in Assay, for one call each. */
export async function getProjects(pool: pg.Pool, req: IncomingMessage) {
  const token = req.headers.authorization?.slice('Bearer '.length) ?? ''
  const hash = createHash('sha256').update(token).digest('hex')
  const found = await pool.query<{ user_id: string }>({ ...selectTokens, values: [[hash]] })
  const { rows } = await pool.query<object>({ ...listOwnProjects, values: [found.rows[0]?.user_id, [], null] })
  return rows
}

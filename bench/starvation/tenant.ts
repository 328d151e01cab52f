import { randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DataSource } from 'typeorm'
import { newId } from '../../core/base/ids.ts'
import { createProjectFor, createRunFor, createTokenFor, createUser } from '../../core/testing/factories.ts'

export interface Tenant {
  token: string
  userId: string
  projectId: string
  runId: string
}

/** Creates a user with a project whose run has `rows` results with long names, a tenth of them failed. */
export async function createTenant(dataSource: DataSource, repository: string, rows: number): Promise<Tenant> {
  const user = await createUser({ dataSource })
  const token = await createTokenFor({ dataSource }, { user })
  const { id: projectId } = await createProjectFor({ dataSource }, { user, repository })
  const run = { projectId, userId: user.id, status: 'COMPLETED' as const, totalTests: rows, failedTests: rows / 10 }
  const runs = []
  for (let count = 0; count < 5; count++) runs.push((await createRunFor({ dataSource }, run)).id)
  for (const id of runs) {
    await dataSource.query(
      `INSERT INTO test_results
         (run_id, position, test_id, suite, name, file, status, message, stack, flaky, error_id)
       SELECT $1, n, md5($3 || n)::uuid, repeat('a', 1000), repeat('a', 990) || n, 'src/' || n || '.test.ts',
              CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'passed' END,
              CASE WHEN n % 10 = 0 THEN repeat('expected ', 200) END, CASE WHEN n % 10 = 0 THEN repeat('at x\n', 200) END,
              false, CASE WHEN n % 10 = 0 THEN md5((n % 100)::text)::uuid END
         FROM generate_series(1, $2::integer) AS n`,
      [id, rows, projectId],
    )
  }
  return { token, userId: user.id, projectId, runId: runs.at(-1) ?? '' }
}

/** Adds rows to every list of the tenant. */
export async function fillLists(dataSource: DataSource, { runId, projectId, userId }: Tenant, rows: number) {
  const now = new Date()
  await dataSource.query(
    `INSERT INTO test_run_coverage SELECT $1, 'src/' || n || '.ts', '1-50', '51-99', 50, 99 FROM generate_series(1, $2::integer) AS n`,
    [runId, rows],
  )
  await dataSource.query(
    `INSERT INTO test_run_log SELECT $1, n * 100, 100, repeat(repeat('x', 80) || E'\n', 100) FROM generate_series(0, $2::integer) AS n`,
    [runId, rows / 10],
  )
  await dataSource.query(
    `INSERT INTO files SELECT $3 || n, $2, $1, 'artifacts/' || n, $3 || n, 'text/plain', 1, 'x', now() FROM generate_series(1, $4::integer) AS n`,
    [runId, projectId, randomBytes(8).toString('hex'), rows],
  )
  const [last] = await dataSource.query<{ sequence: string }[]>('SELECT max(sequence) AS sequence FROM audit_logs')
  await dataSource.query(
    `INSERT INTO audit_logs (sequence, id, user_id, action, metadata, created_at, hash)
     SELECT $1::bigint + n, $2 || n, $3, 'token_created', '{"name":"x"}', now(), 'x' FROM generate_series(1, $4::integer) AS n`,
    [last?.sequence ?? 0, newId(now), userId, rows],
  )
  const code = 'x'.repeat(2_000)
  await dataSource.query(
    `INSERT INTO verifications (id, project_id, user_id, file_path, code, repeats, mutants, again, with_secrets, status, created_at)
     SELECT $1 || n, $2, $3, 'a.test.ts', $4, 3, 10, false, false, 'cancelled', now() FROM generate_series(1, $5::integer) AS n`,
    [newId(now), projectId, userId, code, rows],
  )
}

/** Creates a git repository with many small modules, and returns its path. */
export function createRepository(directory: string, modules: number): string {
  const path = join(directory, 'repository')
  mkdirSync(join(path, 'src'), { recursive: true })
  const manifest = {
    name: 'many',
    type: 'module',
    scripts: { test: 'vitest run' },
    devDependencies: { vitest: '5.1.0' },
  }
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest))
  for (let index = 0; index < modules; index++) {
    const functions = Array.from(
      { length: 5 },
      (_, n) => `export function f${n}(x: number) {\n  return x > ${n} ? x : ${n}\n}\n`,
    )
    writeFileSync(join(path, 'src', `module-${index}.ts`), functions.join('\n'))
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', path, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args])
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'x')
  return path
}

/**
 * `npm run audit:verify -- [--head <sequence>:<hash>]`: proves that the audit log is what was written, or names the first
 * row that is not.
 */
import { parseArgs } from 'node:util'
import { isAppendOnly } from '../core/identity/audit/append-only.ts'
import { type AuditHead, type BrokenRow, verifyAuditLog } from '../core/identity/audit/verify.ts'
import { withRunningDatabase } from './database.ts'
import { exitWith } from './launch-error.ts'

const knownHead = readHead()
await withRunningDatabase(async (dataSource, { secretKey }) => {
  const [{ found } = { found: null }] = await dataSource.query<{ found: string | null }[]>(
    "SELECT to_regclass('audit_logs') AS found",
  )
  if (found === null) return complain('there is no audit log in this database; start Assay once, or npm run db:migrate')

  const { rows, head, broken } = await verifyAuditLog(dataSource, secretKey, knownHead)
  if (broken) return complain(`${describe(broken)} ${rows} ${rows === 1 ? 'row' : 'rows'} before it: intact.`)
  if (!(await isAppendOnly(dataSource))) {
    complain(
      'the triggers that make the table audit_logs append-only are off or gone; somebody with its rights did that. ' +
        'ALTER TABLE audit_logs ENABLE ALWAYS TRIGGER audit_logs_rows, and the same for audit_logs_table, puts them back.',
    )
  }
  process.stdout.write(`${rows} ${rows === 1 ? 'row' : 'rows'}, chain intact, head ${head ? format(head) : 'none'}\n`)
  process.stdout.write(
    knownHead
      ? `The known head ${format(knownHead)} is in it: nothing was cut off or rewritten up to there.\n`
      : 'Rows cut off at the end show only against a head known from outside: --head <sequence>:<hash>, from the last line "audit" of core\'s log.\n',
  )
})

function readHead(): AuditHead | undefined {
  const usage = 'usage: npm run audit:verify -- [--head <sequence>:<hash>]'
  try {
    const { head } = parseArgs({ options: { head: { type: 'string' } } }).values
    if (head === undefined) return undefined
    const [, sequence, hash] = /^([1-9]\d{0,17}):([\w-]{43})$/.exec(head) ?? []
    if (sequence !== undefined && hash !== undefined) return { sequence, hash }
    return exitWith([`--head ${head} is no head: it is a number, a colon and a hash of 43 characters. ${usage}`])
  } catch {
    // An unknown option: the usage says what there is.
  }
  return exitWith([usage])
}

/** The exit code is set and not taken at once, so that a database that was started for this is stopped in order. */
function complain(problem: string): void {
  process.stderr.write(`assay: ${problem}\n`)
  process.exitCode = 1
}

function format({ sequence, hash }: AuditHead): string {
  return `${sequence}:${hash}`
}

function describe({ sequence, id, problem }: BrokenRow): string {
  const row = `audit row ${sequence}${id === null ? '' : ` (${id})`}`
  const hint = sequence === '1' ? ', or SECRET_KEY is not the one that the log was written with' : ''
  const what = {
    missing: 'is missing: it was deleted.',
    changed: 'was changed: it does not say what was written.',
    inserted: 'was put in: the rows around it fit without it.',
    unproven: `does not fit: it was changed, or put in, or the row before it was removed${hint}.`,
    'cut off': 'is missing: the log was cut off before its known head.',
    rewritten: 'is not the one that the known head names: the log was rolled back or rewritten, and continued.',
  }
  return `${row} ${what[problem]}`
}

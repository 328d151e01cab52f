/**
 * `npm run audit:verify -- [--head <sequence>:<hash>]`: verifies that the audit log was not changed, or names the first
 * row that was.
 */
import { parseArgs } from 'node:util'
import { auditTriggers, isAppendOnly } from '../core/identity/audit/append-only.ts'
import { type AuditHead, type BrokenRow, verifyAuditLog } from '../core/identity/audit/verify.ts'
import { withRunningDatabase } from './database.ts'
import { exitWith } from './launch-error.ts'

const knownHead = readHead()
await withRunningDatabase(async (dataSource, { secretKey }) => {
  const [{ found } = { found: null }] = await dataSource.query<{ found: string | null }[]>(
    "SELECT to_regclass('unchained_audit_logs') AS found",
  )
  if (found === null)
    return complain('this database has no audit log of this version; start Assay once, or run npm run db:migrate')

  const { rows, head, unchained, broken } = await verifyAuditLog(dataSource, secretKey, knownHead)
  if (broken) return complain(`${describe(broken)} ${rows} ${rows === 1 ? 'row' : 'rows'} before it: intact.`)
  if (!(await isAppendOnly(dataSource))) {
    complain(
      'the triggers that make the audit log append-only are off or missing. A database user with the right to do so ' +
        `changed them. Restore them: ${auditTriggers
          .map(({ table, trigger }) => `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${trigger};`)
          .join(' ')}`,
    )
  }
  process.stdout.write(`${rows} ${rows === 1 ? 'row' : 'rows'}, chain intact, head ${head ? format(head) : 'none'}\n`)
  if (unchained) {
    process.stdout.write(
      `${unchained.rows} ${unchained.rows === 1 ? 'row is' : 'rows are'} not chained yet, since ${unchained.oldest.toISOString()}. ` +
        'A running server chains rows within seconds. Until then, it cannot be proved that none of them was deleted.\n',
    )
  }
  process.stdout.write(
    knownHead
      ? `The known head ${format(knownHead)} is in the log: no row up to it was deleted or rewritten.\n`
      : 'To detect rows deleted at the end, pass a known head: --head <sequence>:<hash>, from the last line "audit" of core\'s log.\n',
  )
})

function readHead(): AuditHead | undefined {
  const usage = 'usage: npm run audit:verify -- [--head <sequence>:<hash>]'
  try {
    const { head } = parseArgs({ options: { head: { type: 'string' } } }).values
    if (head === undefined) return undefined
    const [, sequence, hash] = /^([1-9]\d{0,17}):([\w-]{43})$/.exec(head) ?? []
    if (sequence !== undefined && hash !== undefined) return { sequence, hash }
    return exitWith([`--head ${head} is invalid: a head is a number, a colon and a hash of 43 characters. ${usage}`])
  } catch {
    // The usage lists the options.
  }
  return exitWith([usage])
}

/** Does not exit at once, so that a database that this command started stops in order. */
function complain(problem: string): void {
  process.stderr.write(`assay: ${problem}\n`)
  process.exitCode = 1
}

function format({ sequence, hash }: AuditHead): string {
  return `${sequence}:${hash}`
}

function describe({ sequence, id, problem }: BrokenRow): string {
  const number = sequence === null ? 'that is not chained' : sequence
  const row = `audit row ${number}${id === null ? '' : ` (${id})`}`
  const hint = sequence === '1' ? ', or SECRET_KEY differs from the one that wrote the log' : ''
  const what = {
    missing: 'is missing: it was deleted.',
    changed: 'was changed after it was written.',
    inserted: 'was inserted: the rows around it match without it.',
    unproven: `does not match: it was changed or inserted, or the row before it was deleted${hint}.`,
    'cut off': 'is missing: the log ends before the known head.',
    rewritten: 'differs from the known head: the log was rolled back or rewritten.',
    forged: 'was changed or added without the key, so the server does not chain it.',
  }
  return `${row} ${what[problem]}`
}
